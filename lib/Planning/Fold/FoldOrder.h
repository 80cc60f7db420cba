#pragma once

#include "LabelMaps.h"

#include <array>
#include <functional>
#include <optional>
#include <set>

namespace froe::fold {

/// A table register, seen from one of its two nodes.
struct View {
  int table = -1;
  bool flipped = false; ///< the node has the table's columns
};

/// One step of an elimination.
struct Step {
  enum class Kind {
    Free,    ///< the node has no neighbour left: its cheapest label is taken
    Leaf,    ///< one neighbour, which gets a message
    Between, ///< two neighbours, which get a table
    Split,   ///< many neighbours, each of which gets a copy of the node: a relaxation
  };
  Kind kind;
  int node;
  std::vector<int> neighbours = {};
  std::vector<View> views = {}; ///< of the tables to the neighbours, from the node
  int through = -1;             ///< Between: register of the new table; rows are the first neighbour
  View existing = {};           ///< Between: the table that the two already have, from the first, if any
  int sum = -1;                 ///< Between: register of the sum of both
  int firstCopy = -1;           ///< Split: the copies are nodes numbered from here
};

/// What is eliminated, as far as its order is concerned.
struct Shape {
  struct Node {
    int colour; ///< nodes that may differ in their costs have different colours
    int labels;
  };
  struct Edge {
    int from, to;
    Id table, rowMap, columnMap;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges; ///< at most one between two nodes
};

/// An order in which all nodes are eliminated, cheap ones first and like ones together: the steps for equal parts do
/// the same with the same tables. Members of a class that are neighbours go by turns, which shortens a chain of equal
/// parts by half each time. The nodes `kept` are not eliminated.
class FoldOrder {
public:
  FoldOrder(const Shape &shape, LabelMaps &maps, const std::vector<int> &kept = {});

  const std::vector<Step> &getSteps() const { return steps; }
  int nodeCount() const { return static_cast<int>(nodes.size()); } ///< with copies
  int tableCount() const { return static_cast<int>(registers.size()); }
  /// The node that a node is a copy of; itself if it is none.
  int original(int node) const { return nodes[node].original; }
  /// The table that is left between two kept nodes, seen from the first, if there is one.
  std::optional<View> linkBetween(int node, int other) const {
    auto link = nodes[node].links.find(other);
    return link == nodes[node].links.end() ? std::nullopt : std::optional(link->second);
  }
  /// Numbers computed by all steps but those that repeat others.
  double distinctWork() const { return work; }

private:
  using Key = std::pair<double, int>; ///< work and class
  struct Node {
    int token, labels, original;
    std::map<int, View> links;
    bool gone = false, kept = false;
    Key key = {-1, -1};
  };
  struct Register {
    int token;
    Id rowMap, columnMap;
  };

  struct TokenHash {
    size_t operator()(const std::array<int, 6> &words) const {
      uint64_t hash = 0;
      for (int word : words)
        hash = (hash ^ static_cast<uint32_t>(word)) * 0x9e3779b97f4a7c15 ^ hash >> 31;
      return hash ^ hash >> 29;
    }
  };
  int tokenOf(std::array<int, 6> content);
  /// The table as a token, seen from a node.
  int viewToken(View view) { return tokenOf({0, registers[view.table].token, view.flipped}); }
  Id mapOf(View view, bool own) const {
    const Register &table = registers[view.table];
    return view.flipped == own ? table.columnMap : table.rowMap;
  }
  int classesOf(View view, bool own) const { return maps[mapOf(view, own)].classes; }
  /// The links of a node with one or two, in an order that depends on its class alone where possible.
  std::vector<std::pair<int, View>> sortedLinks(int node);
  Key keyOf(int node);
  void enqueue(int node);
  void eliminate(int node);
  void eliminateBetween(Step &step);
  void addUnary(int node, int token);
  void split();

  LabelMaps &maps;
  std::vector<Node> nodes;
  std::vector<Register> registers;
  std::unordered_map<std::array<int, 6>, int, TokenHash> tokens;
  std::map<Key, std::set<int>> queue;
  std::vector<Step> steps;
  std::set<int> worked; ///< classes of steps
  double work = 0;
};

} // namespace froe::fold

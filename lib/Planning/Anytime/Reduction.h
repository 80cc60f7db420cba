#pragma once

#include "froe/Planning/Problem.h"

#include <deque>
#include <unordered_map>

namespace froe {

/// A problem that shrinks while it keeps the cost of its best choices, under the memory limit, exactly.
///
/// Nodes are absorbed by neighbours and labels disappear; what happened is recorded, and `expand` turns a choice for
/// the nodes that are left into one for the problem. Rules (after search over public instances, see docs/planning.md):
///
/// - arc consistency: a label that excludes all labels of a neighbour goes;
/// - separable edges, cost(i, j) = r(i) + c(j), are moved into their ends;
/// - folding: where each label of u leaves exactly one of v, v is part of u from then on, with its memory;
/// - elimination of nodes with at most two neighbours whose cheapest answer takes no memory (PBQP's R0, R1, R2);
/// - dominance: a label goes if another one costs no more whatever the neighbours do, and needs no more memory ever;
/// - capacity: a label goes if the others' smallest memory leaves no room for it.
class Reduction {
public:
  /// Memory from slot `begin` up to `end`, by label. Segments of one node are disjoint and sorted; the smallest number
  /// of bytes of each is 0, since what every label needs is taken from the slots' room.
  struct Segment {
    int begin, end;
    std::vector<int64_t> bytes;
  };
  struct Node {
    bool alive = true;
    std::vector<double> cost;
    std::vector<Segment> segments;
    std::vector<int> edges; ///< may hold dead ones
    int labels() const { return static_cast<int>(cost.size()); }
  };
  struct Edge {
    int a, b;
    bool alive = true, queued = false;
    std::vector<double> cost; ///< labels of a x labels of b
  };

  explicit Reduction(const Problem &problem);

  /// Applies all rules until nothing changes. False if no choice is possible.
  bool run();

  const std::vector<Node> &getNodes() const { return nodes; }
  const std::vector<Edge> &getEdges() const { return edges; }
  const std::vector<int64_t> &getRoom() const { return room; }
  double getOffset() const { return offset; } ///< cost of what is decided already

  /// `labels`: of the nodes left, by node; others are ignored. A strategy for each node of the problem.
  std::vector<int> expand(std::vector<int> labels) const;

private:
  /// A step to be undone: the label of `node` follows from those of `a` and `b` (-1: none), or, where `a` is the node
  /// itself, from its number among the labels kept.
  struct Step {
    int node, a = -1, b = -1, columns = 1;
    std::vector<uint16_t> label;
  };

  // Reduction.cpp
  void addEdge(int a, int b, std::vector<double> cost);
  void kill(Edge &edge);
  void enqueue(int edge);
  void enqueueAll(int node);
  std::vector<int> &liveEdges(int node);
  int neighbour(int edge, int node) const { return edges[edge].a == node ? edges[edge].b : edges[edge].a; }
  std::vector<double> matrixFrom(int edge, int node) const;
  bool keepLabels(int node, const std::vector<bool> &keep);
  bool dropExcluded(int node);

  // EdgeRules.cpp
  bool drainQueue();
  bool checkSupport(int edge);
  bool separate(int edge);
  bool fold(int edge);
  void absorb(int node, int into, int edge, const std::vector<uint16_t> &label);

  // NodeRules.cpp
  bool eliminate(int node);
  void dominate(int node, bool &changed);

  // Capacity.cpp
  bool normalise();
  void dropSlots();
  bool prune(bool &changed);

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::unordered_map<uint64_t, int> edgeOf; ///< of a pair of nodes, smaller one first
  std::deque<int> queue;
  std::vector<int64_t> room; ///< by slot
  std::vector<Step> steps;
  double offset = 0;
  bool impossible = false; ///< a node has no label left
};

} // namespace froe

#pragma once

#include "froe/Planning/Problem.h"

namespace froe {

/// A problem as the solver sees it: only the strategies still possible ("labels"), one edge for each pair of
/// neighbours, and only the steps at which memory can run out ("slots").
///
/// Nodes and edges that share tables in the problem share them here.
///
/// Of the slots those are dropped whose live uses are all live in a neighbouring slot too, and those where even the
/// largest choices fit.
struct Model {
  struct Use {
    int begin, end; ///< slots [begin, end)
    SharedTable<int64_t> bytes;
  };
  struct Node {
    SharedTable<int> strategy; ///< of each label, in the problem
    SharedTable<double> cost;
    std::vector<Use> uses;
    std::vector<int> edges;
    int labels() const { return static_cast<int>(strategy.size()); }
  };
  struct Edge {
    int a, b;
    SharedTable<double> cost; ///< labels of a x labels of b
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  int slots = 0;
  int64_t limit = Problem::kUnlimited;

  explicit Model(const Problem &problem);

  double edgeCost(const Edge &edge, int labelOfA, int labelOfB) const {
    return edge.cost[labelOfA * nodes[edge.b].labels() + labelOfB];
  }
  /// The cost of `edge` where `node`, one of its ends, has label `mine` and the other end `other`.
  double edgeCost(const Edge &edge, int node, int mine, int other) const {
    return edge.a == node ? edgeCost(edge, mine, other) : edgeCost(edge, other, mine);
  }
  int neighbour(const Edge &edge, int node) const { return edge.a == node ? edge.b : edge.a; }

  double costOf(const std::vector<int> &labels) const;
  std::vector<int64_t> usageOf(const std::vector<int> &labels) const;
  /// The least that a use takes with any label that is not excluded.
  static int64_t smallestBytes(const Node &node, const Use &use);
  /// Bytes in each slot if every use took its smallest label: no choice needs less.
  std::vector<int64_t> smallestUsage() const;
  /// What each label of `node` holds in `slot`; false if nothing.
  bool bytesAt(int node, int slot, std::vector<int64_t> &bytes) const;
  std::vector<int> strategiesOf(const std::vector<int> &labels) const;

  /// Drops the labels of `node` that are not marked.
  void keepLabels(int node, const std::vector<bool> &keep);
};

} // namespace froe

#pragma once

#include "Core.h"
#include "Random.h"

#include <utility>

namespace froe {

/// A random set of nodes among which the edges form a forest, so that its best labels, all others fixed, follow exactly
/// by dynamic programming.
class Forest {
public:
  explicit Forest(const Core &core);

  /// Grows at random from the seeds to at most `size` nodes. `breadthFirst`: in rings around the seeds.
  void grow(const std::vector<int> &seeds, int size, bool breadthFirst, Random &random);

  const std::vector<int> &nodes() const { return order; } ///< parents before children
  bool contains(int node) const { return inside[node] == stamp; }

  /// Own costs of the labels of the forest's nodes, neighbours outside counted in. To be changed before `solve`.
  void gatherCosts(const std::vector<int> &labels);
  const std::vector<double> &costs() const { return own; }
  /// What labels, by place, cost together; `costs` as those of the forest.
  double valueOf(const std::vector<double> &costs, const std::vector<int> &chosen) const;
  double *costsOf(int place) { return &own[start[place]]; }
  /// The labels, by place in nodes(), of least cost.
  const std::vector<int> &solve();

  int64_t takeWork() { return std::exchange(work, 0); } ///< matrix cells looked at since the last call

private:
  struct Candidate {
    int node, parentPlace, arc; ///< arc from the node to its parent
  };
  void add(const Candidate &candidate);

  const Core &core;
  std::vector<int> inside, touched, touches, placeOf; ///< by node; the first two hold stamps
  int stamp = 0;
  std::vector<Candidate> frontier;
  std::vector<int> order, parent, arcToParent, best;
  std::vector<int64_t> start;
  std::vector<double> own, total, sent;
  int64_t work = 0;
};

} // namespace froe

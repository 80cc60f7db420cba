#pragma once

#include "Elimination.h"

#include <functional>

namespace froe {

/// Depth-first search for a choice that fits and costs less than all known ones. Nodes are decided in the order of the
/// elimination, whose tables say by how much each label raises the bound; branches whose bound reaches the best cost,
/// or whose smallest memory exceeds the limit, are left out.
class BranchAndBound {
public:
  /// `bound`: a lower bound of the cost, from the last run of the elimination.
  BranchAndBound(const Model &model, const Elimination &elimination, double bound)
      : model(model), elimination(elimination), rootBound(bound) {}

  /// Calls `found` for each choice better than `best` (its cost so far). True if the search came to its end within
  /// `visits` decisions: then there is nothing better.
  bool run(double best, int64_t visits, const std::function<void(const std::vector<int> &, double)> &found);

private:
  bool descend(size_t depth, double bound);
  bool place(int node, int label);
  void remove(int node, int label);

  const Model &model;
  const Elimination &elimination;
  double rootBound, best = 0;
  int64_t visitsLeft = 0;
  std::vector<int> labels;
  std::vector<int64_t> usage; ///< of the decided nodes, and at least of the others
  const std::function<void(const std::vector<int> &, double)> *found = nullptr;
};

} // namespace froe

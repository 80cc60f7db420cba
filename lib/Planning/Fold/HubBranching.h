#pragma once

#include "Fold.h"

#include <functional>
#include <limits>

namespace froe::fold {

/// Branches on the labels of hubs until their copies agree. Most often they nearly do, and the first branch shows that
/// no other is better.
class HubBranching {
public:
  /// Bounds need not be better than `enough`, nor closer than `tolerance` to the best choice.
  HubBranching(Fold &fold, Pricing given, double tolerance, double enough, int runs)
      : fold(fold), pricing(std::move(given)), tolerance(tolerance), enough(enough), runsLeft(runs) {}

  /// A lower bound of the priced cost. Calls `visit` with each choice met.
  double run(const std::function<void(const std::vector<int> &labels)> &visit);
  /// The labels of all hubs in the best choice found.
  const std::vector<Restriction> &best() const { return bestLabels; }

private:
  double branch(const std::function<void(const std::vector<int> &labels)> &visit);

  Fold &fold;
  Pricing pricing;
  double tolerance, enough;
  int runsLeft;
  std::vector<Restriction> restrictions, bestLabels;
  double bestCost = std::numeric_limits<double>::infinity(); ///< of choices on which all copies agree
};

} // namespace froe::fold

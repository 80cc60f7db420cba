#pragma once

#include "Relaxation.h"
#include "SlotGroups.h"

#include <functional>

namespace froe {

/// P9. Lagrangian relaxation of the memory limit: bytes get a price in each group of slots, and what a choice would
/// spend above the limit is added to its cost. For all prices the cheapest priced choice bounds the cost of all choices
/// that fit.
class Prices {
public:
  /// Looks at the choice of one set of prices, and at the usage it leads to.
  using Visit = std::function<void(const std::vector<int> &labels)>;
  struct Goal {
    double target;        ///< a cost that bounds are compared with
    double leastGain;     ///< stop when a line has no more than this to give
    double enough;        ///< no bound above this is needed
    double firstStep = 0; ///< sum of the prices to look at first; 0: as far as the target may be
  };

  Prices(const Model &model, Relaxation &relaxation, SlotGroups groups);

  /// Solves at the best prices so far (first: at none); returns the bound.
  double solve();
  /// Moves to the best bound along one line: prices rise where the choice at the best prices exceeds the limit and fall
  /// where it leaves room. The bound is concave and piecewise linear along it, so that where the tangents of two points
  /// meet is the next point to look at. Calls `visit` with each choice met. False if no direction leads up.
  bool ascend(const Goal &goal, int &solvesLeft, const Visit &visit);

  double best() const { return bestBound; }
  /// Of each slot.
  std::vector<double> slotPrices() const { return groups.slotPrices(bestPrices); }
  /// Sum of all prices: what a byte costs that is always live.
  double total() const;
  /// Of each slot, at the far end of the last line's last piece, where the choice keeps to the limit.
  const std::vector<double> &highPrices() const { return high; }

private:
  /// A point on the line.
  struct Point {
    double at, bound, slope;
    std::vector<double> gradient; ///< bytes above the limit in each group
  };

  std::vector<double> along(const std::vector<double> &from, const std::vector<double> &direction, double at) const;
  Point look(const std::vector<double> &from, const std::vector<double> &direction, double at, const Visit &visit);
  std::vector<double> ascent() const;

  const Model &model;
  Relaxation &relaxation;
  SlotGroups groups;
  std::vector<double> bestPrices, bestGradient;
  std::vector<double> aggregate; ///< of the two gradients around the last line's summit: level along that line
  std::vector<double> high;
  double bestBound = -1;
};

/// A choice that needs little memory, found by pricing the fullest slots higher and higher; empty if none is found.
/// Cost plays no part but that it is finite.
std::vector<int> smallestChoice(const Model &model, Relaxation &relaxation, const SlotGroups &groups);

} // namespace froe

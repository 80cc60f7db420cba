#pragma once

#include "Elimination.h"

namespace froe {

/// Lagrangian relaxation of the memory limit: bytes get a price in each slot, and what a choice would spend above the
/// limit is added to its cost. For all prices the cheapest priced choice bounds the cost of all choices that fit.
class Prices {
public:
  Prices(const Model &model, Elimination &elimination);

  /// Solves at the current prices; returns the bound.
  double solve();
  /// The choice that the last `solve` led to.
  std::vector<int> decode() const { return elimination.decode(); }
  /// Raises prices where the choice exceeds the limit and lowers them where it leaves room (Polyak's step towards
  /// `target`, scaled). False if there is nothing to change: the choice fits and spends priced memory fully, so it is
  /// the best one if the elimination is exact.
  bool step(const std::vector<int> &labels, double target, double scale);
  void useBest() { prices = bestPrices; }
  double best() const { return bestBound; }

private:
  const Model &model;
  Elimination &elimination;
  std::vector<double> prices, bestPrices;
  double bound, bestBound;
};

/// The unary costs at these prices for each slot.
Unaries pricedUnaries(const Model &model, const std::vector<double> &prices);

/// A choice that needs little memory, found by pricing the fullest slots higher and higher. Cost plays no part but that
/// it is finite.
std::vector<int> smallestChoice(const Model &model, Elimination &elimination);

} // namespace froe

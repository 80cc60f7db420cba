#pragma once

#include "Elimination.h"

#include <functional>
#include <random>

namespace froe {

/// Lagrangian relaxation of the memory limit: bytes get a price in each slot, and what a choice would spend above the
/// limit is added to its cost. For all prices the cheapest priced choice bounds the cost of all choices that fit.
class Prices {
public:
  using Visit = std::function<void(const std::vector<int> &labels)>;

  Prices(const Model &model, Elimination &elimination);

  /// Solves at the best prices so far (first: at none); returns the bound.
  double solve();
  /// Moves to the best bound along one line: prices rise where the choice at the best prices exceeds the limit and fall
  /// where it leaves room. The bound is concave and piecewise linear along it, so that where the tangents of two points
  /// meet is the next point to look at. Calls `visit` with each choice met. The first step aims at `target`. False if
  /// no direction leads up.
  bool ascend(double target, int &solvesLeft, const Visit &visit);
  double best() const { return bestBound; }

  /// The choice at `factor` times the best prices, each label's cost changed at random by up to `noise`: equal layers,
  /// which no price can tell apart, then choose differently.
  std::vector<int> decodeMixed(std::mt19937_64 &random, double factor, double noise);

private:
  /// A point on the line.
  struct Point {
    double at, bound, slope;
    std::vector<double> gradient; ///< bytes above the limit in each slot
  };

  Point look(const std::vector<double> &from, const std::vector<double> &direction, double at, const Visit &visit);
  std::vector<double> ascent() const;

  const Model &model;
  Elimination &elimination;
  std::vector<double> bestPrices, bestGradient;
  std::vector<double> aggregate; ///< of the two gradients around the last line's summit: level along that line
  double bestBound = -1;
};

/// The unary costs at these prices for each slot.
Unaries pricedUnaries(const Model &model, const std::vector<double> &prices);

/// A choice that needs little memory, found by pricing the fullest slots higher and higher. Cost plays no part but that
/// it is finite.
std::vector<int> smallestChoice(const Model &model, Elimination &elimination);

} // namespace froe

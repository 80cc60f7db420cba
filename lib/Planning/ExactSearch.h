#pragma once

#include "Elimination.h"

#include "froe/Planning/Solve.h"

#include <random>

namespace froe {

class Prices;

/// Searches a small problem until the answer is proven, or effort runs out: elimination, prices for each slot, local
/// improvement from many choices, branch and bound.
class ExactSearch {
public:
  /// `known`: the cost of a choice, and a bound, found before.
  ExactSearch(const Model &model, const SolveOptions &options, double knownCost, double knownBound);

  /// Whether a problem is small enough.
  static bool suits(const Model &model);
  /// True if the answer, a choice or none that is better than the known one, is proven.
  bool run();

  std::vector<int> best; ///< better than the known one; else empty
  double bestCost, bound;

private:
  bool closed() const;
  bool stopped() const { return options.cancelled && options.cancelled(); }
  void consider(const std::vector<int> &labels);
  void take(const std::vector<int> &labels);
  void searchPrices();
  std::vector<int> decodeMixed(const Prices &prices, double factor, double noise);
  void mix(const Prices &prices, int rounds);
  void perturb();
  bool branch();

  const Model &model;
  const SolveOptions &options;
  Elimination elimination;
  std::mt19937_64 random;
  double tablesBound = 0; ///< belongs to the tables of the elimination's last run
};

} // namespace froe

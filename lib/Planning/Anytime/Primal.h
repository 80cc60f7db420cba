#pragma once

#include "Forest.h"

namespace froe {

/// What the dual tells the primal search between two of its runs.
struct Advice {
  std::vector<double> prices;
  std::vector<int> decoding;
  double bound = 0;
};

/// Looks for cheap choices that fit: annealed moves of forest blocks under the hard limit, in cycles that begin at the
/// dual's decodings or at the best choice so far.
class Primal {
public:
  Primal(const Core &core, uint64_t seed);

  /// Works until about `work` matrix cells have been looked at; returns them.
  int64_t run(int64_t work, const Advice &advice);
  /// Takes a choice found elsewhere, which must fit.
  void offer(const std::vector<int> &labels);

  bool found() const { return !bestLabels.empty(); }
  double cost() const { return bestCost; } ///< without the core's offset; infinity if none is found
  const std::vector<int> &best() const { return bestLabels; }

private:
  void beginCycle(const Advice &advice);
  bool descend(std::vector<double> prices, double bound);
  void cover(const std::vector<double> &sums);
  void move();
  void chooseBlock();
  bool place(const std::vector<int> &chosen, int &worst, int64_t &change);
  void disturb(double heat);
  void addPrice(int slot, double price);
  void apply(const std::vector<int> &chosen, double change);
  void setLabels(std::vector<int> labels);
  void keepBest();
  double temperature() const;

  const Core &core;
  Forest forest;
  Random random;
  std::vector<int> labels, bestLabels, seeds, current;
  std::vector<int64_t> usage, difference;
  std::vector<double> sums;  ///< of the cycle's prices
  std::vector<double> plain; ///< the block's costs without prices and noise
  double labelsCost = 0, bestCost = std::numeric_limits<double>::infinity();
  int64_t cycleWork = 0, cycleLength;
  double startTemperature = 0;
  int cycles = 0;
  int hullBegin = 0, hullEnd = 0; ///< slots that the last placed block's changes touch
  int64_t work = 0;
  bool feasible = false; ///< whether `labels` fit
};

} // namespace froe

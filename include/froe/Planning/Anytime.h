#pragma once

#include "froe/Planning/Solution.h"

#include <functional>

namespace froe {

struct AnytimeOptions {
  uint64_t seed = 0;
  /// Work is counted in steps of the algorithm, as many as take about half this time on a slow core; the clock is only
  /// the last resort, so that two runs end with the same answer.
  double seconds = 60;
  double spentSeconds = 0;              ///< of those, before the call (reading the problem)
  int threads = 1;                      ///< more finish sooner; the answer is the same
  std::function<bool()> cancelled = {}; ///< asked now and then; true ends the search with the best so far
};

/// For problems of thousands of nodes under a memory limit: exact reduction, then the Lagrangian dual of the limit and
/// an annealed search side by side, until the answer is proven best or the time is up. Every answer has a bound.
std::expected<Solution, NoPlan> solveAnytime(const Problem &problem, const AnytimeOptions &options = {});

} // namespace froe

#pragma once

#include "froe/Planning/Solution.h"

namespace froe {

struct SolveOptions {
  uint64_t seed = 0;
  /// How much local improvement: starts from different choices. More takes proportionally longer and finds better plans
  /// for problems that are no trees after reduction.
  int starts = 8;
};

/// The cheapest choice found that fits, with a lower bound for all of them. `problem.check()` must pass. Exact for
/// graphs that reduce to nothing by eliminating nodes with at most two neighbours (chains, trees, series-parallel
/// graphs) as long as memory does not bind. The same answer for the same problem and options.
std::expected<Solution, NoPlan> solve(const Problem &problem, const SolveOptions &options = {});

} // namespace froe

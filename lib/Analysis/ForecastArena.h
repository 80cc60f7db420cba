#pragma once

#include "froe/Analysis/CostModel.h"
#include "froe/Analysis/ProgramGraph.h"

namespace froe {

/// Bytes that one rank needs for all values at once at its fullest, weights not counted, under a choice of strategies:
/// what is reshared on the way as well, which P4 cannot know since it depends on pairs of choices. Steps and lifetimes
/// are those of the rank's program as far as they can be known before it is made (see KernelForecast).
int64_t forecastArena(const ProgramGraph &graph, const std::vector<int> &choice, CostModel &costs);
/// The same and its weights.
int64_t forecastMemory(const ProgramGraph &graph, const std::vector<int> &choice, CostModel &costs);

/// What a solver's memory limit has to be next, where its answer holds `peakBytes` under P4 but needs more than
/// `limit` as `forecastMemory` counts; at most 0: there is no use in trying.
int64_t lowerLimit(int64_t current, int64_t peakBytes, int64_t needed, int64_t limit);
/// So many times a lower limit is tried.
inline constexpr int kMostLowerLimits = 5;

} // namespace froe

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace froe {

/// What cannot be divided between two stages, e.g. a layer: its ops on one microbatch, on the devices of one stage.
struct StageUnit {
  double seconds = 0;
  double sendSeconds = 0;  ///< handing its results on, if a stage ends here
  int64_t weightBytes = 0; ///< of one rank, held all the time
  int64_t valueBytes = 0;  ///< of one rank at its fullest moment, besides
};

/// Seconds until the last of `microbatches` has gone through all stages, one after the other (GPipe without a backward
/// pass): the first one passes all stages, each further one leaves the slowest stage later.
///   sum of stages + (microbatches - 1) * slowest stage
double pipelineSeconds(std::span<const double> stageSeconds, int64_t microbatches);

/// Which units begin a stage, of the split into exactly `stages` non-empty stages whose pipelineSeconds are smallest,
/// sends included, and whose weights plus largest values are at most `memoryLimit`; nullopt where none is. Of equally
/// good splits the one whose last stages are longest.
std::optional<std::vector<int>> splitIntoStages(std::span<const StageUnit> units, int stages, int64_t microbatches,
                                                int64_t memoryLimit);

} // namespace froe

#include "froe/Planning/SplitStages.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace froe {
namespace {

/// Seconds of a split, infinity where a stage does not fit.
double secondsOf(const std::vector<StageUnit> &units, const std::vector<int> &firstUnits, int64_t microbatches,
                 int64_t memoryLimit) {
  std::vector<double> stages;
  for (size_t s = 0; s < firstUnits.size(); ++s) {
    size_t end = s + 1 < firstUnits.size() ? firstUnits[s + 1] : units.size();
    double seconds = end < units.size() ? units[end - 1].sendSeconds : 0;
    int64_t weights = 0, values = 0;
    for (size_t u = firstUnits[s]; u < end; ++u) {
      seconds += units[u].seconds;
      weights += units[u].weightBytes;
      values = std::max(values, units[u].valueBytes);
    }
    if (weights + values > memoryLimit)
      return std::numeric_limits<double>::infinity();
    stages.push_back(seconds);
  }
  return pipelineSeconds(stages, microbatches);
}

/// Tries every split.
double bruteForce(const std::vector<StageUnit> &units, int stages, int64_t microbatches, int64_t memoryLimit) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned set = 0; set < 1u << (units.size() - 1); ++set) {
    std::vector<int> firstUnits = {0};
    for (size_t u = 1; u < units.size(); ++u)
      if (set >> (u - 1) & 1)
        firstUnits.push_back(static_cast<int>(u));
    if (static_cast<int>(firstUnits.size()) == stages)
      best = std::min(best, secondsOf(units, firstUnits, microbatches, memoryLimit));
  }
  return best;
}

TEST(SplitStages, PipelineOfMicrobatches) {
  std::vector<double> stages = {1, 3, 2};
  EXPECT_EQ(pipelineSeconds(stages, 1), 6);
  EXPECT_EQ(pipelineSeconds(stages, 5), 6 + 4 * 3);
  EXPECT_EQ(pipelineSeconds({}, 5), 0);
}

TEST(SplitStages, EqualLayersAreSharedOut) {
  std::vector<StageUnit> layers(7, {.seconds = 1});
  EXPECT_EQ(splitIntoStages(layers, 3, 4, 0), (std::vector<int>{0, 1, 4})); // 1 + 3 + 3
  EXPECT_EQ(splitIntoStages(layers, 1, 4, 0), std::vector<int>{0});
  EXPECT_EQ(splitIntoStages(layers, 8, 4, 0), std::nullopt);
}

TEST(SplitStages, MemoryMovesTheCut) {
  std::vector<StageUnit> layers = {{.seconds = 1, .weightBytes = 5},
                                   {.seconds = 1, .weightBytes = 5},
                                   {.seconds = 1, .weightBytes = 1},
                                   {.seconds = 1, .weightBytes = 1, .valueBytes = 2}};
  EXPECT_EQ(splitIntoStages(layers, 2, 8, 10), (std::vector<int>{0, 2}));
  EXPECT_EQ(splitIntoStages(layers, 2, 8, 9), (std::vector<int>{0, 1}));
  EXPECT_EQ(splitIntoStages(layers, 2, 8, 8), std::nullopt);
}

TEST(SplitStages, AsGoodAsEverySplit) {
  std::mt19937 random(7);
  auto draw = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  for (int round = 0; round < 300; ++round) {
    std::vector<StageUnit> units(1 + draw(9));
    for (StageUnit &unit : units)
      unit = {double(draw(20)), double(draw(5)), draw(10), draw(6)};
    int stages = 1 + draw(4);
    int64_t microbatches = 1 + draw(8), limit = 10 + draw(30);
    double best = bruteForce(units, stages, microbatches, limit);
    auto split = splitIntoStages(units, stages, microbatches, limit);
    ASSERT_EQ(split.has_value(), best < std::numeric_limits<double>::infinity()) << round;
    if (split) {
      EXPECT_EQ(int(split->size()), stages);
      EXPECT_DOUBLE_EQ(secondsOf(units, *split, microbatches, limit), best) << round;
    }
  }
}

} // namespace
} // namespace froe

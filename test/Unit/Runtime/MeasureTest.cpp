#include "runtime/launch/Measure.h"

#include <gtest/gtest.h>

using namespace froe;

namespace {

/// Exact samples of a line with 2 us for two ranks, 3 us for each further one, 8 GB/s up to 4 MiB and 2 GB/s behind.
std::vector<CollectiveSample> samplesOfLine() {
  std::vector<CollectiveSample> samples;
  for (int ranks : {2, 4})
    for (int64_t bytes = 1 << 10; bytes <= 16 << 20; bytes *= 4) {
      int64_t cached = std::min<int64_t>(bytes, 4 << 20);
      double seconds = 2e-6 + 3e-6 * (ranks - 2) + double(cached) / 8e9 + double(bytes - cached) / 2e9;
      samples.push_back({CollectiveKind::AllReduce, ranks, bytes, bytes, seconds});
    }
  return samples;
}

TEST(Measure, FitFindsTheLine) {
  CollectiveFit found = fit(samplesOfLine(), CollectiveKind::AllReduce);
  EXPECT_NEAR(found.latencySeconds, 2e-6, 2e-7);
  EXPECT_NEAR(found.latencySecondsPerRank, 3e-6, 1e-8);
  EXPECT_NEAR(found.cacheBytesPerSecond, 8e9, 1e7);
  EXPECT_NEAR(found.bytesPerSecond, 2e9, 1e6);
  EXPECT_EQ(found.cacheBytes, 4 << 20);
}

TEST(Measure, NoiseNeverMakesARateNegative) {
  std::vector<CollectiveSample> samples = samplesOfLine();
  for (CollectiveSample &sample : samples)
    if (sample.bytes == 16 << 20)
      sample.seconds = 1e-6; // faster than the smallest
  CollectiveFit found = fit(samples, CollectiveKind::AllReduce);
  EXPECT_GT(found.bytesPerSecond, 0);
  EXPECT_GT(found.cacheBytesPerSecond, 0);
}

} // namespace

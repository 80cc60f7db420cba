#include "froe/Cost/Compute.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

const Cluster kCpu = Cluster::load("cpu").value();

double gigaflops(int64_t m, int64_t n, int64_t k, int64_t batch = 1, std::string_view type = "f32") {
  return 2e-9 * double(m * n * k * batch) / matmulSeconds(kCpu, {m, n, k, batch}, type);
}

TEST(Compute, ElementSizes) {
  EXPECT_EQ(elementBytes("f32"), 4);
  EXPECT_EQ(elementBytes("bf16"), 2);
  EXPECT_EQ(elementBytes("i64"), 8);
  EXPECT_EQ(elementBytes("i1"), 1);
  EXPECT_EQ(elementBytes("ui8"), 1);
  EXPECT_EQ(elementBytes("f8E4M3FN"), 1);
  EXPECT_EQ(elementBytes("i4"), 1);
  EXPECT_EQ(elementBytes("index"), 8);
  EXPECT_EQ(elementBytes("tensor"), 0);
  EXPECT_EQ(elementBytes("x8"), 0);
  EXPECT_EQ(elementBytes(""), 0);
}

// Rates measured with oneDNN and packed weights on one AVX-512 core, GFLOP/s.
TEST(Compute, MatmulIsCloseToMeasuredRates) {
  struct Row {
    int64_t m, n, k;
    double measured;
  };
  for (Row row : {Row{1024, 768, 768, 115},
                  {1024, 3072, 768, 112},
                  {128, 3072, 768, 115},
                  {128, 768, 768, 117},
                  {128, 1536, 768, 117},
                  {32, 4096, 4096, 96},
                  {8, 4096, 4096, 55},
                  {4, 4096, 4096, 35},
                  {1, 4096, 4096, 7.6}})
    EXPECT_NEAR(gigaflops(row.m, row.n, row.k), row.measured, 0.12 * row.measured)
        << row.m << "x" << row.n << "x" << row.k;
  EXPECT_NEAR(gigaflops(128, 128, 64, 12), 103, 13);
  EXPECT_NEAR(gigaflops(128, 3072, 768, 1, "bf16"), 232, 25);
}

TEST(Compute, HalvesKeepTheRate) {
  double whole = gigaflops(128, 3072, 768);
  EXPECT_GT(gigaflops(64, 3072, 768), 0.9 * whole);
  EXPECT_GT(gigaflops(128, 1536, 768), 0.95 * whole);
  EXPECT_GT(gigaflops(128, 3072, 384), 0.95 * whole);
}

TEST(Compute, FewRowsCostTheWeightsTraffic) {
  double weights = 4096.0 * 4096 * 4 / kCpu.memoryBytesPerSecond();
  double one = matmulSeconds(kCpu, {1, 4096, 4096, 1}, "f32");
  EXPECT_GT(one, weights);
  EXPECT_LT(one, 1.5 * weights);
  // Half the rows do not halve the time, half the weights do.
  EXPECT_GT(matmulSeconds(kCpu, {4, 4096, 4096, 1}, "f32"), 0.7 * matmulSeconds(kCpu, {8, 4096, 4096, 1}, "f32"));
  EXPECT_NEAR(matmulSeconds(kCpu, {8, 2048, 4096, 1}, "f32"), 0.5 * matmulSeconds(kCpu, {8, 4096, 4096, 1}, "f32"),
              0.01 * one);
}

TEST(Compute, MatricesInRegistersHaveNoTraffic) {
  Cluster cluster = kCpu;
  cluster.hostBytesPerSecond = 0;
  cluster.device.memoryBytesPerSecond = cluster.device.cacheBytesPerSecond = 1e6; // all time is traffic's
  auto traffic = [&](bool left, bool right, bool result) {
    MatmulShape shape{16, 32, 8, 1, false};
    shape.readsLeft = left, shape.readsRight = right, shape.writesResult = result;
    return matmulSeconds(cluster, shape, "f32");
  };
  double all = traffic(true, true, true), perByte = all / (4.0 * (16 * 8 + 8 * 32 + 16 * 32));
  EXPECT_NEAR(all - traffic(false, true, true), 4 * 16 * 8 * perByte, 1e-3 * all);
  EXPECT_NEAR(all - traffic(true, false, true), 4 * 8 * 32 * perByte, 1e-3 * all);
  EXPECT_NEAR(all - traffic(true, true, false), 4 * 16 * 32 * perByte, 1e-3 * all);
}

TEST(Compute, MoreWorkNeverTakesLess) {
  double last = 0;
  for (int64_t m = 1; m <= 2048; m += 7) {
    double seconds = matmulSeconds(kCpu, {m, 768, 768, 1}, "f32");
    EXPECT_GT(seconds, last) << m;
    last = seconds;
  }
}

TEST(Compute, OverlapHidesTheSmallerTerm) {
  Cluster cluster = kCpu;
  cluster.hostBytesPerSecond = 0;
  cluster.device.memoryBytesPerSecond = 1e9;
  cluster.device.cacheBytesPerSecond = 1e18;
  cluster.device.cacheBytes = 1 << 30;
  cluster.device.matmul["f32"].points = {{1, 2e9, 0.25}};
  // 4 x 1000 x 1000: the weight's 4 ms, the arithmetic's 4 ms.
  EXPECT_NEAR(matmulSeconds(cluster, {4, 1000, 1000, 1}, "f32"), 7e-3, 1e-6);
  cluster.device.matmul["f32"].points.front().overlap = 1;
  EXPECT_NEAR(matmulSeconds(cluster, {4, 1000, 1000, 1}, "f32"), 4e-3, 1e-6);
  // Operands that kernels made come from the cache.
  EXPECT_NEAR(matmulSeconds(cluster, {8, 1000, 1000, 1, false}, "f32"), 8e-3, 1e-6);
}

TEST(Compute, FittedRatesExplainWhatWasMeasured) {
  for (double streamed : {4.5e-3, 6e-3, 7.9e-3, 12e-3}) { // of 4 and 4 ms in the two terms
    Cluster cluster = kCpu;
    cluster.hostBytesPerSecond = 0;
    cluster.device.memoryBytesPerSecond = 1e9;
    MatmulRates::Point point = fitMatmul(cluster, {4, 500, 1000, 1e-3, streamed}, "f32");
    EXPECT_EQ(point.smallestDim, 4);
    EXPECT_GE(point.overlap, 0);
    EXPECT_LE(point.overlap, 1);
    cluster.device.matmul["f32"].points = {point};
    EXPECT_NEAR(matmulSeconds(cluster, {4, 1000, 1000, 1}, "f32"), streamed, 1e-5);
  }
}

TEST(Compute, FitsOfNoiseStayRates) {
  for (double cached : {1e-9, 1e-3, 1.0})
    for (double streamed : {1e-9, 1e-3, 1.0}) {
      MatmulRates::Point point = fitMatmul(kCpu, {4, 500, 1000, cached, streamed}, "f32");
      EXPECT_GT(point.flopsPerSecond, 0);
      EXPECT_GE(point.overlap, 0);
      EXPECT_LE(point.overlap, 1);
    }
}

TEST(Compute, StreamsThroughCacheAndMemory) {
  Cluster cluster = kCpu;
  cluster.device.cacheBytes = 1000;
  cluster.device.cacheBytesPerSecond = 100;
  cluster.device.memoryBytesPerSecond = 10;
  EXPECT_DOUBLE_EQ(streamSeconds(cluster, 500), 5);
  EXPECT_DOUBLE_EQ(streamSeconds(cluster, 2000), 10 + 100);
  EXPECT_EQ(streamSeconds(cluster, 0), 0);
  EXPECT_GE(kernelSeconds(cluster, 1000, 100, 500), 10);
  EXPECT_LE(kernelSeconds(cluster, 1000, 100, 500), 15);
}

} // namespace
} // namespace froe

#include "froe/Cost/Collectives.h"

#include "froe/Cost/Compute.h"
#include <gtest/gtest.h>

namespace froe {
namespace {
using Kind = ReshardStep::Kind;

Cluster cluster() {
  Cluster cluster = Cluster::load("cpu").value();
  cluster.linksShared = false;
  cluster.allReduce = {.latencySeconds = 10,
                       .latencySecondsPerRank = 2,
                       .bytesPerSecond = 5,
                       .cacheBytesPerSecond = 50,
                       .cacheBytes = 1000};
  return cluster;
}

TEST(Collectives, LatencyAndBandwidth) {
  EXPECT_DOUBLE_EQ(collectiveSeconds(cluster(), Kind::AllReduce, 500, 2), 10 + 10);
  EXPECT_DOUBLE_EQ(collectiveSeconds(cluster(), Kind::AllReduce, 500, 4), 14 + 10);
  EXPECT_DOUBLE_EQ(collectiveSeconds(cluster(), Kind::AllReduce, 2000, 2), 10 + 20 + 200);
  EXPECT_EQ(collectiveSeconds(cluster(), Kind::AllReduce, 500, 1), 0);
  EXPECT_EQ(collectiveSeconds(cluster(), Kind::Slice, 500, 2), 0);
}

TEST(Collectives, SharedLinksAreDividedByAllDevices) {
  Cluster shared = cluster();
  shared.linksShared = true;
  EXPECT_DOUBLE_EQ(collectiveSeconds(shared, Kind::AllReduce, 500, 2), 10 + 10);
  EXPECT_DOUBLE_EQ(collectiveSeconds(shared, Kind::AllReduce, 500, 4), 14 + 20);
  EXPECT_DOUBLE_EQ(collectiveSeconds(shared.withDevices(8), Kind::AllReduce, 500, 2), 10 + 40);
}

TEST(Collectives, StepsCountBytesAsTheirFormulas) {
  Mesh mesh = Mesh::parse("4x1").value();
  ReshardStep step{.kind = Kind::AllReduce, .axes = {0}, .result = {}};
  EXPECT_DOUBLE_EQ(stepSeconds(cluster(), mesh, step, 400, 400), 14 + 600 / 50.0); // 2 * 3/4 * 400 bytes
  step.axes = {1};
  EXPECT_EQ(stepSeconds(cluster(), mesh, step, 400, 400), 0);
  step = {.kind = Kind::Slice, .axes = {0}, .dim = 0, .result = {}};
  EXPECT_DOUBLE_EQ(stepSeconds(cluster(), mesh, step, 400, 100),
                   cluster().device.kernelOverheadSeconds + streamSeconds(cluster(), 200));
  EXPECT_EQ(stepCost(cluster(), mesh)(step, 400, 100), stepSeconds(cluster(), mesh, step, 400, 100));
}

TEST(Collectives, PresetPrefersReduceScatterToAllReduceAndCut) {
  Cluster cpu = Cluster::load("cpu:2").value();
  Mesh mesh = Mesh::parse("2").value();
  Sharding partial{{{}, {}}, {0}}, rows{{{0}, {}}, {}};
  auto path = planReshard(std::vector<int64_t>{128, 768}, 4, partial, rows, mesh, stepCost(cpu, mesh));
  EXPECT_EQ(path->str(mesh), "reduce_scatter(x: dim 0)");
}

TEST(Collectives, SendTakesLongerWithMoreBytes) {
  Cluster cpu = Cluster::load("cpu:2").value();
  EXPECT_LT(sendSeconds(cpu, 0), sendSeconds(cpu, 1000));
}

} // namespace
} // namespace froe

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

/// Nodes of 8, racks of 32, and all: a second each, and rates of 8, 2 and 1 bytes a second.
Cluster hierarchy() {
  Cluster cluster;
  cluster.devices = 128;
  cluster.device = Cluster::load("h100").value().device;
  cluster.levels = {
      {.kind = LinkKind::NVLink, .devices = 8, .bytesPerSecond = 8, .algorithms = {{.latencySeconds = 1}}},
      {.kind = LinkKind::InfiniBand, .devices = 32, .bytesPerSecond = 2, .algorithms = {{.latencySeconds = 1}}},
      {.kind = LinkKind::Ethernet, .bytesPerSecond = 1, .algorithms = {{.latencySeconds = 1}}}};
  return cluster;
}

std::vector<int64_t> parts(const Cluster &cluster, const char *mesh, const AxisList &axes) {
  return levelParts(cluster, Mesh::parse(mesh).value(), axes);
}

TEST(Collectives, GroupsLieOnLevels) {
  using Parts = std::vector<int64_t>;
  EXPECT_EQ(parts(hierarchy(), "16x8", {1}), (Parts{8, 1, 1}));
  EXPECT_EQ(parts(hierarchy(), "16x8", {0}), (Parts{1, 4, 4}));
  EXPECT_EQ(parts(hierarchy(), "16x8", {0, 1}), (Parts{8, 4, 4}));
  EXPECT_EQ(parts(hierarchy(), "2x16x4", {1}), (Parts{2, 4, 2}));
  EXPECT_EQ(parts(hierarchy(), "2x16x4", {0, 2}), (Parts{4, 1, 2}));
  EXPECT_EQ(parts(hierarchy(), "128", {0}), (Parts{8, 4, 4}));
  // Groups that straddle nodes count as what all of them have inside at least.
  EXPECT_EQ(parts(hierarchy(), "4x6", {1}), (Parts{2, 3, 1}));
  EXPECT_EQ(parts(hierarchy(), "2x3", {0, 1}), (Parts{6, 1, 1})); // a node holds them all
  EXPECT_EQ(parts(cluster(), "2x3", {1}), Parts{3});
  EXPECT_EQ(parts(Cluster::load("cpu:4x2").value(), "4x2", {0}), (Parts{2, 2}));
}

double hierarchySeconds(const char *mesh, Kind kind, unsigned axes, int64_t before, int64_t after) {
  return StepTimes(hierarchy(), Mesh::parse(mesh).value()).seconds(kind, axes, double(before), double(after));
}

TEST(Collectives, HierarchiesMoveWhatTheyMust) {
  // 8 devices a node, 4 nodes: own block to 3 others at 2 B/s, then 4 blocks to 7 others at 8 B/s.
  EXPECT_DOUBLE_EQ(hierarchySeconds("32", Kind::AllGather, 1, 10, 320), 2 + 3 * 10 / 2.0 + 7 * 40 / 8.0);
  EXPECT_DOUBLE_EQ(hierarchySeconds("32", Kind::ReduceScatter, 1, 320, 10), 2 + 3 * 10 / 2.0 + 7 * 40 / 8.0);
  // 2 * 7/8 of all inside; 2 * 3/4 of the eighth that is left across.
  EXPECT_DOUBLE_EQ(hierarchySeconds("32", Kind::AllReduce, 1, 320, 320), 2 + 2 * 280 / 8.0 + 2 * 30 / 2.0);
  // A 32nd for each device: 7 of them inside the node.
  EXPECT_DOUBLE_EQ(hierarchySeconds("32", Kind::AllToAll, 1, 320, 320), 2 + 70 / 8.0 + 240 / 2.0);
  // Across nodes only.
  EXPECT_DOUBLE_EQ(hierarchySeconds("4x8", Kind::AllReduce, 1, 320, 320), 1 + 2 * 240 / 2.0);
  EXPECT_EQ(hierarchySeconds("4x8", Kind::AllReduce, 3, 320, 320),
            hierarchySeconds("32", Kind::AllReduce, 1, 320, 320));
}

TEST(Collectives, NetworksThatAddUpSendOnce) {
  Cluster cluster = hierarchy();
  for (LinkLevel &level : cluster.levels)
    level.algorithms[0].inNetworkReduction = level.kind != LinkKind::Ethernet;
  StepTimes node(cluster, Mesh::parse("8").value()), rack(cluster, Mesh::parse("32").value());
  EXPECT_DOUBLE_EQ(node.seconds(Kind::AllReduce, 1, 320, 320), 1 + 360 / 8.0);
  EXPECT_DOUBLE_EQ(rack.seconds(Kind::AllReduce, 1, 320, 320), 2 + 2 * 280 / 8.0 + 50 / 2.0);
}

TEST(Collectives, LatencyGrowsWithDoublings) {
  Cluster cluster = hierarchy();
  cluster.levels[0].algorithms[0].latencySecondsPerDoubling = 0.25;
  StepTimes times(cluster, Mesh::parse("8").value());
  EXPECT_DOUBLE_EQ(times.seconds(Kind::AllGather, 1, 0, 0), 1.75);
  EXPECT_DOUBLE_EQ(times.seconds(Kind::AllReduce, 1, 0, 0), 2.5); // up the tree and down
}

TEST(Collectives, LatencyGrowsWithHops) {
  Cluster cluster = hierarchy();
  cluster.levels[0].algorithms[0].latencySecondsPerHop = 0.25;
  StepTimes times(cluster, Mesh::parse("8").value());
  EXPECT_DOUBLE_EQ(times.seconds(Kind::AllGather, 1, 0, 0), 1 + 7 * 0.25);
  EXPECT_DOUBLE_EQ(times.seconds(Kind::AllReduce, 1, 0, 0), 1 + 14 * 0.25); // around the ring twice
}

TEST(Collectives, TheQuickestAlgorithmOfEachLevelCounts) {
  Cluster cluster = hierarchy();
  cluster.levels[0].algorithms = {{.latencySeconds = 1, .share = 0.25},
                                  {.latencySeconds = 3, .share = 0.5},
                                  {.latencySeconds = 9},
                                  {.latencySeconds = 10, .share = 0.5}};
  cluster.levels[1].algorithms = {{.latencySeconds = 2}, {.latencySeconds = 0.5, .share = 0.5}};
  StepTimes times(cluster, Mesh::parse("32").value());
  for (double bytes = 0; bytes < 1000; bytes += 0.5) {
    double inside = 2 * 7 / 8.0 * bytes / 8, across = 2 * 3 / 4.0 * bytes / 8 / 2;
    double expected =
        std::min({1 + inside / 0.25, 3 + inside / 0.5, 9 + inside}) + std::min(2 + across, 0.5 + across / 0.5);
    ASSERT_NEAR(times.seconds(Kind::AllReduce, 1, bytes, bytes), expected, 1e-9 * expected) << bytes << " bytes";
  }
}

/// Times of NCCL on 8 A100 that share a node, as VIA-Research/vTrain publishes them (MIT License).
TEST(Collectives, AllReducesAreNearPublishedOnes) {
  constexpr std::pair<int, double> measured[] = {{1, 92},     {2, 93},     {4, 95},     {8, 132},
                                                 {16, 232},   {32, 357},   {64, 580},   {128, 1164},
                                                 {256, 2160}, {512, 4190}, {1024, 8195}};
  Cluster cluster = Cluster::load("a100-80g:8").value();
  StepTimes times(cluster, Mesh::parse("8").value());
  double sum = 0;
  for (auto [megabytes, microseconds] : measured) {
    double bytes = megabytes * double(1 << 20);
    double error = times.seconds(Kind::AllReduce, 1, bytes, bytes) * 1e6 / microseconds - 1;
    EXPECT_LT(std::abs(error), megabytes < 4 ? 0.55 : 0.26) << megabytes << " MB";
    sum += std::abs(error);
  }
  EXPECT_LT(sum / std::size(measured), 0.19);
}

TEST(Collectives, SendsUseTheirLevel) {
  EXPECT_DOUBLE_EQ(sendSeconds(hierarchy(), 16, 0, 7), 1 + 16 / 8.0);
  EXPECT_DOUBLE_EQ(sendSeconds(hierarchy(), 16, 7, 8), 1 + 16 / 2.0);
  EXPECT_DOUBLE_EQ(sendSeconds(hierarchy(), 16, 31, 32), 1 + 16 / 1.0);
}

TEST(Collectives, SendTakesLongerWithMoreBytes) {
  Cluster cpu = Cluster::load("cpu:2").value();
  EXPECT_LT(sendSeconds(cpu, 0), sendSeconds(cpu, 1000));
}

} // namespace
} // namespace froe

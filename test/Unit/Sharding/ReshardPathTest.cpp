#include "Devices.h"
#include "froe/Sharding/ReshardPlanner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace froe {
namespace {
using test::allShardings;
using test::Array;
using test::Devices;

Mesh mesh(std::string_view text) { return Mesh::parse(text).value(); }

Array numbered(std::vector<int64_t> shape) {
  Array array(std::move(shape));
  for (size_t i = 0; i < array.data.size(); ++i)
    array.data[i] = static_cast<double>(i + 1);
  return array;
}

/// Plans, runs on all devices, compares; returns the path.
std::optional<ReshardPath> checkPair(const Array &global, const Sharding &from, const Sharding &to, const Mesh &mesh) {
  std::optional<ReshardPath> path = planReshard(global.shape, 4, from, to, mesh);
  bool possible =
      std::ranges::includes(from.partial, to.partial) && (!to.isPartial() || from.partialKind == to.partialKind);
  EXPECT_EQ(path.has_value(), possible) << from.str(mesh) << " -> " << to.str(mesh);
  if (!path)
    return path;
  Devices devices = Devices::distribute(global, from, mesh);
  for (const ReshardStep &step : path->steps) {
    EXPECT_EQ(step.result.check(mesh, global.shape.size()), std::nullopt);
    devices.execute(step);
  }
  EXPECT_EQ(devices.sharding, to) << from.str(mesh) << " -> " << to.str(mesh) << ": " << path->str(mesh);
  EXPECT_EQ(devices.compare(global), "") << from.str(mesh) << " -> " << to.str(mesh) << ": " << path->str(mesh);
  return path;
}

std::string planned(std::vector<int64_t> shape, const Sharding &from, const Sharding &to, const Mesh &mesh) {
  std::optional<ReshardPath> path = planReshard(shape, 4, from, to, mesh);
  return path ? path->str(mesh) : "impossible";
}

class AllPairs : public testing::TestWithParam<std::tuple<const char *, std::vector<int64_t>>> {};

TEST_P(AllPairs, ExecuteToTheSameTensor) {
  Mesh grid = mesh(std::get<0>(GetParam()));
  Array global = numbered(std::get<1>(GetParam()));
  std::vector<Sharding> all = allShardings(grid, static_cast<int>(global.shape.size()));
  for (const Sharding &from : all)
    for (const Sharding &to : all)
      checkPair(global, from, to, grid);
}

INSTANTIATE_TEST_SUITE_P(Planes, AllPairs,
                         testing::Combine(testing::Values("2", "3", "2x2", "2x3"),
                                          testing::Values(std::vector<int64_t>{4, 4}, std::vector<int64_t>{5, 3},
                                                          std::vector<int64_t>{1, 7}, std::vector<int64_t>{6, 8})));
INSTANTIATE_TEST_SUITE_P(Lines, AllPairs,
                         testing::Combine(testing::Values("4", "2x2x2", "3x2x2"),
                                          testing::Values(std::vector<int64_t>{16}, std::vector<int64_t>{13},
                                                          std::vector<int64_t>{2})));
INSTANTIATE_TEST_SUITE_P(Scalars, AllPairs,
                         testing::Combine(testing::Values("2", "2x2"), testing::Values(std::vector<int64_t>{})));

TEST(ReshardPath, RandomPairsOfThreeAndFourDims) {
  std::mt19937 random(1);
  for (auto [text, shape] : {std::pair("2x2x2", std::vector<int64_t>{4, 3, 8}),
                             {"2x3x2", {5, 6, 2}},
                             {"2x2", {2, 5, 3, 4}},
                             {"2x2x2", {3, 4, 1, 2}}}) {
    Mesh grid = mesh(text);
    Array global = numbered(shape);
    std::vector<Sharding> all = allShardings(grid, static_cast<int>(shape.size()));
    for (int i = 0; i < 400; ++i)
      checkPair(global, all[random() % all.size()], all[random() % all.size()], grid);
  }
}

TEST(ReshardPath, KeepsTheKindOfPartialValues) {
  Mesh grid = mesh("2x2");
  Sharding maximum{{{}, {}}, {0, 1}, ReduceKind::Max}, sum{{{}, {}}, {0}, ReduceKind::Sum};
  EXPECT_EQ(planned({4, 4}, maximum, sum, grid), "impossible");
  Array global = numbered({4, 4});
  auto path = checkPair(global, maximum, {{{1}, {}}, {}, ReduceKind::Sum}, grid);
  for (const ReshardStep &step : path->steps)
    if (step.kind == ReshardStep::Kind::AllReduce || step.kind == ReshardStep::Kind::ReduceScatter)
      EXPECT_EQ(step.reduce, ReduceKind::Max);
}

TEST(ReshardPath, ReduceThenCutIsOneReduceScatter) {
  Mesh grid = mesh("4");
  EXPECT_EQ(planned({8, 8}, {{{}, {}}, {0}}, {{{0}, {}}, {}}, grid), "reduce_scatter(x: dim 0)");
  EXPECT_EQ(planned({7, 8}, {{{}, {}}, {0}}, {{{0}, {}}, {}}, grid), "reduce_scatter(x: dim 0)");
  EXPECT_EQ(planned({8, 8}, {{{}, {}}, {0, 1}}, {{{0, 1}, {}}, {}}, mesh("2x2")), "reduce_scatter(x y: dim 0)");
}

TEST(ReshardPath, GatherThenCutElsewhereIsOneAllToAll) {
  EXPECT_EQ(planned({8, 8}, {{{0}, {}}, {}}, {{{}, {0}}, {}}, mesh("4")), "all_to_all(x: dim 0 -> dim 1)");
}

TEST(ReshardPath, CutsBeforeItGathers) {
  EXPECT_EQ(planned({8, 8}, {{{0}, {}}, {}}, {{{}, {1}}, {}}, mesh("2x4")), "slice(y: dim 1), all_gather(x: dim 0)");
}

TEST(ReshardPath, GathersAllAxesAtOnceWhereBlocksDoNotNest) {
  // 5 over x=2 are 3 + 2, over x,y = 2x2 they are 2 + 2 + 1 + 0: no part of the first.
  EXPECT_EQ(planned({5, 4}, {{{0, 1}, {}}, {}}, {{{0}, {}}, {}}, mesh("2x2")),
            "all_gather(x y: dim 0), slice(x: dim 0)");
  EXPECT_EQ(planned({7, 4}, {{{0, 1}, {}}, {}}, {{{0}, {}}, {}}, mesh("2x2")), "all_gather(y: dim 0)");
  EXPECT_EQ(planned({5, 4}, {{{}, {}}, {}}, {{{0, 1}, {}}, {}}, mesh("2x2")), "slice(x y: dim 0)");
}

TEST(ReshardPath, NothingToDo) { EXPECT_EQ(planned({4}, {{{0}}, {}}, {{{0}}, {}}, mesh("2")), "none"); }

TEST(ReshardPath, BytesSentByRingFormulas) {
  Mesh grid = mesh("4");
  auto sent = [&](const Sharding &from, const Sharding &to) {
    return planReshard(std::vector<int64_t>{8, 8}, 4, from, to, grid)
        ->bytesSent(std::vector<int64_t>{8, 8}, 4, from, grid);
  };
  Sharding whole = Sharding::replicated(2), rows{{{0}, {}}, {}}, columns{{{}, {0}}, {}}, partial{{{}, {}}, {0}};
  EXPECT_EQ(sent(rows, whole), 192);    // 3/4 of 256 bytes
  EXPECT_EQ(sent(partial, whole), 384); // twice that
  EXPECT_EQ(sent(partial, rows), 192);
  EXPECT_EQ(sent(rows, columns), 48); // 3/4 of 64 bytes
  EXPECT_EQ(sent(whole, rows), 0);
}

TEST(ReshardPath, NeverSendsMoreThanGatheringAll) {
  Mesh grid = mesh("2x3");
  std::vector<int64_t> shape = {6, 8};
  Sharding whole = Sharding::replicated(2);
  for (const Sharding &from : allShardings(grid, 2))
    for (const Sharding &to : allShardings(grid, 2))
      if (auto path = planReshard(shape, 4096, from, to, grid); path && !to.isPartial()) {
        int64_t gather = planReshard(shape, 4096, from, whole, grid)->bytesSent(shape, 4096, from, grid);
        EXPECT_LE(path->bytesSent(shape, 4096, from, grid), gather) << from.str(grid) << " -> " << to.str(grid);
      }
}

TEST(ReshardPlanner, AnswersAsThePlainFunction) {
  Mesh grid = mesh("2x2");
  int asked = 0;
  StepCost cost = [&](const ReshardStep &step, int64_t before, int64_t after) {
    ++asked;
    return 1.0 + static_cast<double>(bytesSentIn(step, grid, before, after));
  };
  ReshardPlanner planner(grid, cost);
  std::vector<int64_t> shape = {4, 6};
  for (const Sharding &from : allShardings(grid, 2))
    for (const Sharding &to : allShardings(grid, 2)) {
      auto path = planReshard(shape, 4, from, to, grid, cost);
      const PricedReshard *priced = planner.plan(shape, 4, from, to);
      ASSERT_EQ(priced != nullptr, path.has_value());
      if (path) {
        EXPECT_EQ(priced->path.str(grid), path->str(grid));
        EXPECT_EQ(priced->cost, path->steps.size() + path->bytesSent(shape, 4, from, grid));
      }
      asked = 0;
      EXPECT_EQ(planner.plan(shape, 4, from, to), priced);
      EXPECT_EQ(asked, 0);
    }
}

} // namespace
} // namespace froe

#include "froe/Sharding/ReshardTable.h"

#include "froe/Sharding/ReshardPlanner.h"
#include "froe/Sharding/Strategy.h"
#include "lib/Sharding/ReshardTree.h"
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace froe {
namespace {

/// All shardings of a tensor of two dims, and partial ones.
std::vector<Sharding> allShardings(const Mesh &mesh) {
  Rule rule;
  rule.results = {{{0}, {1}}};
  rule.operands = {{{0}, {1}, {2}}};
  rule.factors = {{"a", 12, FactorKind::Parallel, ReduceKind::Sum},
                  {"b", 10, FactorKind::Parallel, ReduceKind::Sum},
                  {"c", 64, FactorKind::Reduction, ReduceKind::Sum}};
  std::vector<Sharding> found;
  for (const Strategy &strategy : enumerateStrategies(rule, mesh))
    found.push_back(strategy.results[0]);
  found.push_back({{{}, {}}, {0}, ReduceKind::Max});
  return found;
}

TEST(ReshardTable, HoldsWhatTheCheapestPathsCost) {
  for (const char *text : {"4", "2x3", "2x2x2"}) {
    Mesh mesh = Mesh::parse(text).value();
    StepCost cost = [&](const ReshardStep &step, int64_t before, int64_t after) {
      return 10 + double(bytesSentIn(step, mesh, before, after)) + 0.01 * double(after);
    };
    MoveCost moveCost = [&](ReshardStep::Kind kind, unsigned axes, int64_t before, int64_t after) {
      ReshardStep step{.kind = kind, .axes = {}, .result = {}};
      for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
        if (axes >> axis & 1)
          step.axes.push_back(axis);
      return cost(step, before, after);
    };
    std::vector<Sharding> shardings = allShardings(mesh);
    std::vector<const Sharding *> all;
    for (const Sharding &sharding : shardings)
      all.push_back(&sharding);
    std::vector<int64_t> shape = {12, 10};
    ReshardTable known(shape, 4, mesh, moveCost);
    known.prepare(std::span(all).first(3)); // the others follow
    std::vector<double> table = known.between(all, all);
    ReshardPlanner planner(mesh, cost);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < all.size(); ++j)
        EXPECT_FLOAT_EQ(table[i * all.size() + j], planner.cost(shape, 4, *all[i], *all[j]))
            << all[i]->str(mesh) << " to " << all[j]->str(mesh);
  }
}

/// Move after move, from one start, until none helps.
std::vector<float> relaxedFrom(const ReshardMoves &graph, int start) {
  std::vector<float> seconds(graph.layouts.size(), std::numeric_limits<float>::infinity());
  seconds[start] = 0;
  for (bool any = true; any;) {
    any = false;
    for (const ReshardMoves::Move &move : graph.moves)
      if (seconds[move.from] + move.seconds < seconds[move.to]) {
        seconds[move.to] = seconds[move.from] + move.seconds;
        any = true;
      }
  }
  return seconds;
}

/// Random shardings, some of them partial.
std::vector<Sharding> someShardings(const Mesh &mesh, int64_t rank, std::mt19937 &random) {
  std::vector<Sharding> found;
  for (int i = 0; i < 40; ++i) {
    Sharding sharding = Sharding::replicated(rank);
    for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
      if (int64_t use = int64_t(random() % (rank + 2)); use < rank)
        sharding.dims[use].push_back(axis);
      else if (use == rank)
        sharding.partial.push_back(axis);
    found.push_back(sharding);
  }
  return found;
}

TEST(ReshardTable, IsToTheBitWhatMovesAddUpTo) {
  std::mt19937 random(11);
  for (const char *text : {"3", "8", "2x4", "3x2", "2x2x2", "4x2x3"}) {
    Mesh mesh = Mesh::parse(text).value();
    MoveCost cost = [&](ReshardStep::Kind kind, unsigned axes, int64_t before, int64_t after) {
      return 1e-6 * (1 + int(kind)) + 1e-9 * (double(axes) * double(before) + 0.7 * double(after));
    };
    for (int64_t rank : {1, 2, 3}) {
      std::vector<int64_t> shape;
      for (int64_t d = 0; d < rank; ++d)
        shape.push_back(int64_t(1 + random() % 50));
      std::vector<Sharding> shardings = someShardings(mesh, rank, random);
      std::vector<const Sharding *> all;
      KeyIndex starts;
      for (const Sharding &sharding : shardings) {
        all.push_back(&sharding);
        starts.add(Layout::of(sharding).key());
      }
      ReshardMoves graph = ReshardMoves::from(starts, shape, 4, mesh, cost);
      std::vector<double> table = ReshardTable(shape, 4, mesh, cost).between(all, all);
      for (size_t i = 0; i < all.size(); ++i) {
        std::vector<float> expected = relaxedFrom(graph, graph.layouts.find(Layout::of(*all[i]).key()));
        for (size_t j = 0; j < all.size(); ++j)
          EXPECT_EQ(table[i * all.size() + j], double(expected[graph.layouts.find(Layout::of(*all[j]).key())]))
              << all[i]->str(mesh) << " to " << all[j]->str(mesh);
      }
    }
  }
}

} // namespace
} // namespace froe

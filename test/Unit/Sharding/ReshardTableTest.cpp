#include "froe/Sharding/ReshardTable.h"

#include "froe/Sharding/ReshardPlanner.h"
#include "froe/Sharding/Strategy.h"
#include <gtest/gtest.h>

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

} // namespace
} // namespace froe

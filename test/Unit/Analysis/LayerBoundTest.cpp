#include "LayeredProgram.h"

#include "lib/Analysis/LayerBound.h"

#include "froe/Planning/Slots.h"
#include "froe/Planning/Solve.h"

#include <gtest/gtest.h>

namespace froe {
namespace {
using test::LayeredProgram;

const Mesh kMesh = *Mesh::parse("x=2,y=4");

/// A program with its graph, its costs and its sample.
struct Case {
  std::unique_ptr<mlir::MLIRContext> context = test::makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Cluster cluster = *Cluster::load("h100:8");
  ProgramGraph graph;
  CostModel costs;
  ProblemBuilder builder;
  std::optional<LayerSample> sample;

  explicit Case(const LayeredProgram &program)
      : module(test::parse(program, *context)), graph(*buildGraph(*mainOf(*module), kMesh, cluster.device)),
        costs(graph.forecast, kMesh, cluster, false), builder(costs), sample(sampleLayers(graph)) {}

  double bound(double price, int64_t limit) { return LayerBound(*sample, kMesh, cluster, false).seconds(price, limit); }

  /// The whole program's cheapest choice, with bytes paid for where they are live.
  double priced(double price) {
    Problem problem = builder.build(graph, Problem::kUnlimited);
    std::vector<Slots::Use> uses;
    for (const PlanNode &node : problem.nodes)
      for (const MemoryUse &use : node.uses)
        uses.push_back({use.live, 1});
    Slots slots(uses, 0);
    for (PlanNode &node : problem.nodes)
      for (const MemoryUse &use : node.uses)
        for (size_t s = 0; s < node.cost.size(); ++s)
          node.cost.edit()[s] +=
              price * double(slots.at(use.live.end) - slots.at(use.live.begin)) / slots.count() * double(use.bytes[s]);
    return solve(problem)->cost;
  }
};

TEST(LayerSample, OneStandsForAllEqualLayers) {
  Case known({.layers = 10});
  ASSERT_TRUE(known.sample);
  EXPECT_EQ(known.sample->count, 9); // the first one reads what no layer made
  EXPECT_LT(known.sample->graph.nodes.size(), known.graph.nodes.size());
  EXPECT_EQ(Case({.layers = 50}).sample->graph.nodes.size(), known.sample->graph.nodes.size());
}

TEST(LayerBound, IsExactForAChain) {
  for (int layers : {4, 9, 40}) {
    Case known({.layers = layers});
    ASSERT_TRUE(known.sample);
    for (double price : {0.0, 1e-12, 1e-9}) {
      double expected = known.priced(price);
      EXPECT_NEAR(known.bound(price, 0), expected, 1e-9 * expected) << layers << " layers, price " << price;
    }
  }
}

TEST(LayerBound, LeastSecondsAreThoseOfTheWholeProgram) {
  Case known({.layers = 9, .mask = true});
  double expected = known.builder.leastSeconds(known.graph);
  EXPECT_NEAR(LayerBound(*known.sample, kMesh, known.cluster, false).leastSeconds(), expected, 1e-9 * expected);
}

/// What is outside of the chain may be chosen anew for each layer, which costs less at most.
TEST(LayerBound, IsBelowTheBestWhateverLayersShare) {
  for (bool mask : {false, true})
    for (bool tied : {false, true}) {
      Case known({.layers = 7, .mask = mask, .tied = tied});
      ASSERT_TRUE(known.sample);
      for (double price : {0.0, 1e-10}) {
        double best = known.priced(price);
        EXPECT_LE(known.bound(price, 0), best * (1 + 1e-9));
        EXPECT_GE(known.bound(price, 0), best * 0.8) << "mask " << mask << ", tied " << tied;
      }
    }
}

TEST(LayerBound, HoldsUnderALimit) {
  Case known({.layers = 8});
  Problem problem = known.builder.build(known.graph, Problem::kUnlimited);
  problem.memoryLimit = solve(problem)->peakBytes / 2;
  std::expected<Solution, NoPlan> best = solve(problem);
  ASSERT_TRUE(best);
  ASSERT_GT(best->price, 0);
  for (double part : {0.5, 1.0, 2.0})
    EXPECT_LE(known.bound(part * best->price, problem.memoryLimit), best->cost * (1 + 1e-9));
  EXPECT_GT(known.bound(best->price, problem.memoryLimit), known.bound(0, problem.memoryLimit));
}

/// A layer that does something else ends the run of equal ones; it is looked at by itself.
TEST(LayerBound, OtherLayersCountAsTheyAre) {
  for (int other : {0, 1, 7, 11}) {
    Case known({.layers = 12, .others = {other}});
    ASSERT_TRUE(known.sample) << other;
    double expected = known.priced(0);
    EXPECT_NEAR(known.bound(0, 0), expected, 1e-9 * expected) << other;
  }
}

TEST(LayerSample, NothingWhereNoSingleValueJoinsEqualLayers) {
  EXPECT_FALSE(Case({.layers = 2}).sample);
  EXPECT_FALSE(Case({.layers = 8, .outputs = true}).sample); // results of earlier layers are held for longer
  EXPECT_FALSE(Case({.layers = 8, .twoStreams = true}).sample);
}

} // namespace
} // namespace froe

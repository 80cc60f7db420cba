#include "LayeredProblem.h"
#include "RandomProblem.h"
#include "froe/Planning/Solve.h"

#include <gtest/gtest.h>

namespace froe {
namespace {
using test::layeredProblem;

Solution solved(const Problem &problem, const SolveOptions &options = {}) {
  std::expected<Solution, NoPlan> solution = solve(problem, options);
  EXPECT_TRUE(solution);
  if (!solution)
    return {};
  EXPECT_EQ(verify(problem, *solution), std::nullopt);
  EXPECT_GE(solution->bound * (1 + 1e-9), lowerBound(problem));
  return *solution;
}

/// Between what the smallest choice found needs and what the cheapest needs.
int64_t limitAt(const Problem &problem, double part) {
  Problem none = problem;
  none.memoryLimit = 0;
  std::expected<Solution, NoPlan> least = solve(none);
  EXPECT_FALSE(least);
  double smallest = double(least.error().smallestPeakBytes), cheapest = double(solved(problem).peakBytes);
  return static_cast<int64_t>(smallest + part * (cheapest - smallest));
}

int64_t productsFor(int layers, bool tied) {
  FoldCache cache;
  solved(layeredProblem({.layers = layers, .layouts = 12, .mask = false, .tied = tied}), {.cache = &cache});
  return cache.products();
}

TEST(Fold, DepthAddsOnlyDoublings) {
  for (bool tied : {false, true}) {
    int64_t shallow = productsFor(12, tied);
    EXPECT_LE(productsFor(24, tied), shallow + 3);
    EXPECT_LE(productsFor(96, tied), shallow + 9);
  }
}

TEST(Fold, IsExactForLayers) {
  for (bool mask : {false, true})
    for (bool tied : {false, true})
      EXPECT_EQ(solved(layeredProblem({.layers = 9, .layouts = 15, .mask = mask, .tied = tied})).gap(), 0);
}

/// The same problem without a table in common, and none that is equal to another.
Problem unfolded(Problem problem) {
  std::mt19937 random(5);
  for (PlanNode &node : problem.nodes)
    for (double &cost : node.cost.edit())
      cost += 1e-13 * double(random() % 1000);
  for (PlanEdge &edge : problem.edges)
    for (double &cost : edge.cost.edit())
      cost += 1e-13 * double(random() % 1000);
  return problem;
}

TEST(Fold, CostsTheSameAsWithoutFolding) {
  for (int layers : {1, 2, 5, 12}) {
    Problem problem = layeredProblem({.layers = layers, .layouts = 10, .mask = layers % 2 == 1, .tied = true});
    FoldCache folded, other;
    Solution one = solved(problem, {.cache = &folded}), two = solved(unfolded(problem), {.cache = &other});
    EXPECT_NEAR(one.cost, two.cost, 1e-5 * one.cost);
    EXPECT_NEAR(one.bound, two.bound, 1e-5 * one.cost);
    if (layers > 2)
      EXPECT_LT(2 * folded.products(), other.products());
  }
}

TEST(Fold, TablesNeedNotBeSharedToFold) {
  Problem problem = layeredProblem({.layers = 8, .layouts = 6});
  FoldCache shared, parsed;
  Solution one = solved(problem, {.cache = &shared}), two = solved(*Problem::parse(problem.str()), {.cache = &parsed});
  EXPECT_EQ(one.choice, two.choice);
  EXPECT_EQ(shared.products(), parsed.products());
}

TEST(Fold, LayersShareALimitWell) {
  for (int layers : {2, 6, 24})
    for (double part : {0.9, 0.5, 0.2, 0.05}) {
      Problem problem = layeredProblem({.layers = layers, .layouts = 12, .mask = part > 0.3});
      problem.memoryLimit = limitAt(problem, part);
      EXPECT_LE(solved(problem, {.tolerance = 0.003}).gap(), 0.03) << layers << " layers, " << part;
    }
}

TEST(Fold, MoreMemoryNeverRaisesTheBound) {
  Problem problem = layeredProblem({.layers = 6, .layouts = 12});
  int64_t low = limitAt(problem, 0.05), high = limitAt(problem, 1.05);
  Solution last{.choice = {}, .cost = 1e9, .bound = 1e9};
  for (int step = 0; step <= 6; ++step) {
    problem.memoryLimit = low + (high - low) * step / 6;
    Solution now = solved(problem, {.tolerance = 0.001});
    EXPECT_LE(now.bound, last.cost);
    EXPECT_LE(now.cost, last.cost * 1.005);
    last = now;
  }
  EXPECT_EQ(last.price, 0);
}

TEST(Fold, ACacheChangesNothing) {
  FoldCache cache;
  for (int layers : {3, 7})
    for (double part : {2.0, 0.4}) {
      Problem problem = layeredProblem({.layers = layers, .layouts = 9, .tied = true});
      if (part < 1)
        problem.memoryLimit = limitAt(problem, part);
      SolveOptions options{.tolerance = 0.001}, cached = options;
      cached.cache = &cache;
      Solution one = solved(problem, options), two = solved(problem, cached), three = solved(problem, cached);
      EXPECT_EQ(one.choice, two.choice);
      EXPECT_EQ(one.choice, three.choice);
      EXPECT_EQ(one.bound, two.bound);
      EXPECT_EQ(one.bound, three.bound);
    }
}

TEST(Fold, EqualProblemsAreSolvedOnce) {
  Problem problem = layeredProblem({.layers = 5, .layouts = 9, .mask = true});
  problem.memoryLimit = limitAt(problem, 0.3);
  FoldCache cache;
  SolveOptions options{.tolerance = 0.001, .cache = &cache};
  Solution one = solved(problem, options);
  int64_t products = cache.products();
  for (PlanNode &node : problem.nodes)
    node.name += "again";
  EXPECT_EQ(solved(problem, options).choice, one.choice);
  EXPECT_EQ(cache.products(), products);
  problem.nodes[0].cost.edit()[0] += 1e-6;
  EXPECT_LE(solved(problem, options).bound, one.cost + 1e-6);
  EXPECT_GT(cache.products(), products);
  problem.memoryLimit = 0;
  std::expected<Solution, NoPlan> none = solve(problem, options), again = solve(problem, options);
  ASSERT_FALSE(none || again);
  EXPECT_EQ(none.error().smallest, again.error().smallest);
}

TEST(Fold, APriceToBeginWithFindsTheSameBound) {
  Problem problem = layeredProblem({.layers = 12, .layouts = 10});
  problem.memoryLimit = limitAt(problem, 0.4);
  Solution cold = solved(problem, {.tolerance = 0.002});
  EXPECT_GT(cold.price, 0);
  FoldCache cache;
  Solution warm = solved(problem, {.tolerance = 0.002, .price = cold.price, .cache = &cache});
  EXPECT_NEAR(warm.bound, cold.bound, 0.002 * cold.bound);
}

TEST(Fold, NothingBetterThanTheIncumbent) {
  Problem problem = layeredProblem({.layers = 12, .layouts = 10});
  for (double part : {2.0, 0.3}) {
    if (part < 1)
      problem.memoryLimit = limitAt(problem, part);
    Solution best = solved(problem, {.tolerance = 0.001});
    std::expected<Solution, NoPlan> none = solve(problem, {.incumbent = best.bound * 0.99});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().reason, NoPlan::Reason::NotBetter);
    EXPECT_EQ(solved(problem, {.tolerance = 0.001, .incumbent = best.cost * 1.01}).cost, best.cost);
  }
}

TEST(Fold, CancelledItHandsBackWhatItHas) {
  Problem problem = layeredProblem({.layers = 12, .layouts = 10});
  problem.memoryLimit = limitAt(problem, 0.3);
  for (int after : {0, 2, 10}) {
    int asked = 0;
    std::expected<Solution, NoPlan> solution = solve(problem, {.cancelled = [&] { return ++asked > after; }});
    if (solution)
      EXPECT_EQ(verify(problem, *solution), std::nullopt);
    else
      EXPECT_EQ(solution.error().reason, NoPlan::Reason::Cancelled);
  }
}

TEST(Fold, AStrategyMoreNeverCostsMore) {
  std::mt19937 random(9);
  for (int i = 0; i < 40; ++i) {
    Problem problem = test::randomProblem(random, {8, 3, test::Shape::Any, i % 2 == 0}), larger = problem;
    PlanNode &node = larger.nodes[i % 8];
    node.cost.edit().push_back(double(random() % 10));
    for (MemoryUse &use : node.uses)
      use.bytes.edit().push_back(int64_t(random() % 20));
    for (PlanEdge &edge : larger.edges) {
      std::vector<double> costs;
      for (int a = 0; a < larger.nodes[edge.from].strategies(); ++a)
        for (int b = 0; b < larger.nodes[edge.to].strategies(); ++b) {
          int columns = problem.nodes[edge.to].strategies();
          bool old = a < problem.nodes[edge.from].strategies() && b < columns;
          costs.push_back(old ? edge.cost[a * columns + b] : double(random() % 10));
        }
      edge.cost = std::move(costs);
    }
    ASSERT_EQ(larger.check(), std::nullopt);
    auto one = solve(problem), two = solve(larger);
    if (one) {
      ASSERT_TRUE(two);
      EXPECT_LE(two->cost, one->cost + 1e-9);
    }
  }
}

} // namespace
} // namespace froe

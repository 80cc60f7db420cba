#include "froe/Planning/Solve.h"

#include "RandomProblem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace froe {
namespace {
using test::bruteForce;
using test::leastPeak;
using test::ProblemSize;
using test::randomProblem;
using test::Shape;

/// Solves and compares with trying all choices.
void checkAgainstOracle(const Problem &problem) {
  ASSERT_EQ(problem.check(), std::nullopt);
  std::expected<Solution, NoPlan> solved = solve(problem);
  std::optional<Solution> best = bruteForce(problem);
  ASSERT_EQ(solved.has_value(), best.has_value()) << problem.str();
  if (solved) {
    EXPECT_EQ(verify(problem, *solved), std::nullopt) << problem.str();
    EXPECT_NEAR(solved->cost, best->cost, 1e-9) << problem.str();
    EXPECT_NEAR(solved->bound, best->cost, 1e-9) << problem.str();
    return;
  }
  std::optional<int64_t> least = leastPeak(problem);
  EXPECT_TRUE(solved.error().proven) << problem.str();
  EXPECT_EQ(solved.error().reason, least ? NoPlan::Reason::Memory : NoPlan::Reason::Conflict) << problem.str();
  if (least) {
    EXPECT_EQ(peakBytesOf(problem, solved.error().smallest), solved.error().smallestPeakBytes);
    EXPECT_GE(solved.error().smallestPeakBytes, *least);
    EXPECT_LE(solved.error().smallestPeakBytes, 1.25 * *least + 1) << problem.str();
  }
}

class Oracle : public testing::TestWithParam<ProblemSize> {};

TEST_P(Oracle, FindsTheBestOfAllChoices) {
  std::mt19937 random(7);
  for (int i = 0; i < 60 && !HasFailure(); ++i)
    checkAgainstOracle(randomProblem(random, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Small, Oracle,
                         testing::Values(ProblemSize{8, 3, Shape::Chain}, ProblemSize{8, 3, Shape::Tree},
                                         ProblemSize{8, 3, Shape::Any}, ProblemSize{5, 6, Shape::Any},
                                         ProblemSize{8, 3, Shape::Any, false, true},
                                         ProblemSize{8, 3, Shape::Tree, true}, ProblemSize{8, 3, Shape::Any, true},
                                         ProblemSize{7, 4, Shape::Any, true}, ProblemSize{8, 3, Shape::Any, true, true},
                                         ProblemSize{1, 5, Shape::Any, true, true}));

/// What is true of an answer that need not be the best, incumbents above and below the best cost included.
void checkBounds(const Problem &problem, int starts) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::optional<Solution> best = bruteForce(problem);
  for (double part : {0.5, 0.999, 1.001, 1.5, kInfinity}) {
    double incumbent = best && best->cost > 0 ? best->cost * part : kInfinity;
    std::expected<Solution, NoPlan> solved = solve(problem, {.starts = starts, .incumbent = incumbent});
    if (!best) {
      EXPECT_FALSE(solved) << problem.str();
    } else if (solved) {
      EXPECT_EQ(verify(problem, *solved), std::nullopt) << problem.str();
      EXPECT_LE(solved->bound, best->cost + 1e-9) << problem.str();
    } else if (part > 1) {
      EXPECT_FALSE(solved.error().proven) << problem.str();
    }
  }
}

TEST(Solve, NeverBoundsAboveTheBest) {
  for (unsigned seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    Shape shapes[] = {Shape::Chain, Shape::Tree, Shape::Any};
    Problem problem =
        randomProblem(random, {2 + int(seed % 7), 2 + int(seed % 3), shapes[seed % 3], true, seed % 5 == 0});
    for (int starts : {0, 8})
      checkBounds(problem, starts);
  }
}

TEST(Solve, NeverBoundsAboveTheBestWherePartsRepeat) {
  for (unsigned seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    Problem problem = test::repeatedProblem(random);
    for (int starts : {0, 8})
      checkBounds(problem, starts);
  }
}

TEST(Solve, NothingToDecide) {
  std::expected<Solution, NoPlan> solved = solve({});
  ASSERT_TRUE(solved);
  EXPECT_EQ(verify({}, *solved), std::nullopt);
  EXPECT_EQ(solved->cost, 0);
}

TEST(Solve, TheSameAnswerEachTime) {
  std::mt19937 random(3);
  Problem problem = randomProblem(random, {8, 4, Shape::Any, true});
  problem.memoryLimit += 5;
  auto first = solve(problem, {.seed = 5}), second = solve(problem, {.seed = 5});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->choice, second->choice);
  EXPECT_EQ(first->bound, second->bound);
  EXPECT_EQ(first->price, second->price);
}

TEST(Solve, CostDoesNotDependOnTheOrderOfNodesAndStrategies) {
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    Problem problem = randomProblem(random, {7, 3, Shape::Any, i % 2 == 0}), mirrored;
    mirrored.memoryLimit = problem.memoryLimit;
    for (auto node = problem.nodes.rbegin(); node != problem.nodes.rend(); ++node) {
      mirrored.nodes.push_back(*node);
      std::ranges::reverse(mirrored.nodes.back().cost.edit());
      for (MemoryUse &use : mirrored.nodes.back().uses)
        std::ranges::reverse(use.bytes.edit());
    }
    int last = static_cast<int>(problem.nodes.size()) - 1;
    for (PlanEdge edge : problem.edges) {
      std::ranges::reverse(edge.cost.edit());
      mirrored.edges.push_back({last - edge.from, last - edge.to, edge.cost});
    }
    auto one = solve(problem), other = solve(mirrored);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one)
      EXPECT_NEAR(one->cost, other->cost, 1e-9);
  }
}

TEST(Solve, CostScalesWithCostsAndMemoryWithBytes) {
  std::mt19937 random(12);
  for (int i = 0; i < 40; ++i) {
    Problem problem = randomProblem(random, {7, 3, Shape::Any, true}), scaled = problem;
    for (PlanNode &node : scaled.nodes) {
      for (double &cost : node.cost.edit())
        cost *= 1e-6;
      for (MemoryUse &use : node.uses)
        for (int64_t &bytes : use.bytes.edit())
          bytes *= 1'000'000'000;
    }
    for (PlanEdge &edge : scaled.edges)
      for (double &cost : edge.cost.edit())
        cost *= 1e-6;
    scaled.memoryLimit *= 1'000'000'000;
    auto one = solve(problem), other = solve(scaled);
    ASSERT_EQ(one.has_value(), other.has_value()) << problem.str();
    if (one)
      EXPECT_NEAR(one->cost * 1e-6, other->cost, 1e-15);
  }
}

TEST(Solve, MoreMemoryNeverCostsMore) {
  std::mt19937 random(13);
  Problem problem = randomProblem(random, {8, 4, Shape::Any, false});
  double last = std::numeric_limits<double>::infinity();
  for (problem.memoryLimit = 0; problem.memoryLimit < 100; problem.memoryLimit += 4)
    if (auto solved = solve(problem)) {
      EXPECT_LE(solved->cost, last + 1e-9);
      last = solved->cost;
    }
  EXPECT_LT(last, 1e9);
}

/// As a transformer: blocks of a chain with a parallel branch and a skip edge, one node that all blocks use, weights
/// live all the time.
Problem layered(int blocks, int strategies) {
  std::mt19937 random(1);
  Problem problem;
  auto add = [&](int time, int64_t bytes, bool weight) {
    PlanNode &node = problem.nodes.emplace_back();
    node.name = "n" + std::to_string(problem.nodes.size());
    for (int s = 0; s < strategies; ++s)
      node.cost.edit().push_back(1e-6 * double(random() % 1000));
    MemoryUse &use = node.uses.emplace_back();
    use.live = weight ? Interval{0, 10 * blocks} : Interval{time, time + 3};
    for (int s = 0; s < strategies; ++s)
      use.bytes.edit().push_back(bytes >> (s % 3));
    return static_cast<int>(problem.nodes.size()) - 1;
  };
  auto connect = [&](int from, int to) {
    PlanEdge &edge = problem.edges.emplace_back(PlanEdge{from, to, {}});
    for (int i = 0; i < strategies; ++i)
      for (int j = 0; j < strategies; ++j)
        edge.cost.edit().push_back(i % 5 == j % 5 ? 0 : 1e-6 * double(random() % 300));
  };
  int mask = add(0, 1000, false), input = add(0, 100'000, false);
  for (int b = 0; b < blocks; ++b) {
    int time = 10 * b, left = add(time, 100'000, false), right = add(time + 1, 100'000, false),
        joined = add(time + 2, 200'000, false);
    int weight = add(0, 1'000'000, true), output = add(time + 3, 100'000, false);
    for (auto [from, to] : {std::pair(input, left),
                            {input, right},
                            {left, joined},
                            {right, joined},
                            {mask, joined},
                            {weight, output},
                            {joined, output},
                            {input, output}})
      connect(from, to);
    input = output;
  }
  return problem;
}

TEST(Solve, DeepLayersWithoutLimitAreProven) {
  Problem problem = layered(40, 12);
  auto solved = solve(problem);
  ASSERT_TRUE(solved);
  EXPECT_EQ(verify(problem, *solved), std::nullopt);
  EXPECT_EQ(solved->gap(), 0);
}

TEST(Solve, DeepLayersUnderALimitHaveASmallGap) {
  Problem problem = layered(20, 6);
  auto cheapest = solve(problem);
  ASSERT_TRUE(cheapest);
  problem.memoryLimit = cheapest->peakBytes * 7 / 10;
  auto solved = solve(problem);
  ASSERT_TRUE(solved);
  EXPECT_EQ(verify(problem, *solved), std::nullopt);
  EXPECT_GE(solved->cost, cheapest->cost);
  EXPECT_LE(solved->gap(), 0.02);
}

} // namespace
} // namespace froe

#include "froe/Planning/Anytime.h"

#include "RandomProblem.h"
#include "froe/Planning/Solve.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace froe {
namespace {
using test::bruteForce;
using test::ProblemSize;
using test::randomProblem;
using test::Shape;

class AnytimeOracle : public testing::TestWithParam<ProblemSize> {};

TEST_P(AnytimeOracle, FindsTheBestOfAllChoicesAndNeverBoundsAboveIt) {
  std::mt19937 random(17);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    Problem problem = randomProblem(random, GetParam());
    std::expected<Solution, NoPlan> solved = solveAnytime(problem, {.seconds = 0.2});
    std::optional<Solution> best = bruteForce(problem);
    ASSERT_EQ(solved.has_value(), best.has_value()) << problem.str();
    if (!solved)
      continue;
    EXPECT_EQ(verify(problem, *solved), std::nullopt) << problem.str();
    EXPECT_NEAR(solved->cost, best->cost, 1e-9) << problem.str();
    EXPECT_LE(solved->bound, best->cost + 1e-9) << problem.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Small, AnytimeOracle,
                         testing::Values(ProblemSize{8, 3, Shape::Chain}, ProblemSize{8, 3, Shape::Any},
                                         ProblemSize{8, 3, Shape::Any, false, true},
                                         ProblemSize{8, 3, Shape::Tree, true}, ProblemSize{8, 3, Shape::Any, true},
                                         ProblemSize{7, 4, Shape::Any, true}, ProblemSize{8, 3, Shape::Any, true, true},
                                         ProblemSize{5, 6, Shape::Any, true, true}));

/// Chains with skips whose memory overlaps, with a limit that binds.
Problem entangled(int nodes) {
  std::mt19937 random(5);
  Problem problem = randomProblem(random, {nodes, 6, Shape::Any});
  std::expected<Solution, NoPlan> cheapest = solve(problem);
  problem.memoryLimit = cheapest->peakBytes * 8 / 10;
  return problem;
}

TEST(Anytime, TheSameAnswerEachTimeAndWithAnyNumberOfThreads) {
  Problem problem = entangled(60);
  auto first = solveAnytime(problem, {.seed = 3, .seconds = 0.5});
  auto second = solveAnytime(problem, {.seed = 3, .seconds = 0.5});
  auto third = solveAnytime(problem, {.seed = 3, .seconds = 0.5, .threads = 2});
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(verify(problem, *first), std::nullopt);
  EXPECT_EQ(first->choice, second->choice);
  EXPECT_EQ(first->choice, third->choice);
  EXPECT_EQ(first->bound, third->bound);
}

TEST(Anytime, CancelledItHandsBackWhatItHas) {
  Problem problem = entangled(60);
  int asked = 0;
  auto solved = solveAnytime(problem, {.seconds = 1e5, .cancelled = [&] { return ++asked > 4; }});
  ASSERT_TRUE(solved);
  EXPECT_EQ(verify(problem, *solved), std::nullopt);
}

TEST(Anytime, NothingToDecide) {
  auto solved = solveAnytime({});
  ASSERT_TRUE(solved);
  EXPECT_EQ(verify({}, *solved), std::nullopt);
}

} // namespace
} // namespace froe

#include "froe/Planning/RunnerUp.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

using test::bruteForce;

/// The cheapest choice of all with another strategy at a node.
std::optional<Solution> bestWithout(Problem problem, int node, int strategy) {
  problem.nodes[node].cost.edit()[strategy] = std::numeric_limits<double>::infinity();
  return bruteForce(problem);
}

TEST(RunnerUp, isTheBestOtherChoiceOfSmallProblems) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    Problem problem = test::randomProblem(random, {.nodes = 6, .strategies = 3, .excludes = round % 3 == 0});
    std::optional<Solution> best = bruteForce(problem);
    if (!best)
      continue;
    RunnerUps runnerUps(problem, best->choice);
    for (int node = 0; node < 6; ++node) {
      std::optional<Solution> expected = bestWithout(problem, node, best->choice[node]);
      std::optional<OtherChoice> found = runnerUps.find(node);
      // What is not connected to the node stays as it is, which is best already.
      ASSERT_EQ(found.has_value(), expected.has_value()) << problem.str();
      if (!found)
        continue;
      EXPECT_NEAR(found->extraSeconds, expected->cost - best->cost, 1e-9);
      EXPECT_NE(found->choice[node], best->choice[node]);
      EXPECT_NEAR(costOf(problem, found->choice), expected->cost, 1e-9);
    }
  }
}

TEST(RunnerUp, forcesAStrategy) {
  Problem problem = *Problem::parse("node a cost 1 2\nnode b cost 0 0\nedge a b cost 0 5 / 5 0\n");
  std::vector<int> choice{0, 0};
  std::optional<OtherChoice> other = RunnerUps(problem, choice).force(0, 1);
  ASSERT_TRUE(other);
  EXPECT_DOUBLE_EQ(other->extraSeconds, 1); // b follows
  EXPECT_EQ(other->choice, (std::vector<int>{1, 1}));
}

TEST(RunnerUp, isNoneWhereTheStrategyIsTheOnlyOne) {
  Problem problem = *Problem::parse("node a cost 1 inf\nnode b cost 0\nedge a b cost 0 / 0\n");
  std::vector<int> choice{0, 0};
  EXPECT_FALSE(RunnerUps(problem, choice).find(0));
  EXPECT_FALSE(RunnerUps(problem, choice).find(1));
}

// Far more nodes than are chosen anew: still an upper bound, and a choice that costs what it says.
TEST(RunnerUp, boundsTheExtraCostOfLongChains) {
  std::mt19937 random(11);
  Problem problem = test::randomProblem(random, {.nodes = 200, .strategies = 4, .shape = test::Shape::Chain});
  std::expected<Solution, NoPlan> best = solve(problem);
  ASSERT_TRUE(best);
  RunnerUps runnerUps(problem, best->choice);
  for (int node = 0; node < 200; node += 17) {
    std::optional<OtherChoice> other = runnerUps.find(node);
    ASSERT_EQ(other.has_value(), problem.nodes[node].strategies() > 1);
    if (!other)
      continue;
    EXPECT_GE(other->extraSeconds, -1e-9);
    EXPECT_NEAR(costOf(problem, other->choice) - best->cost, other->extraSeconds, 1e-9);
  }
}

} // namespace
} // namespace froe

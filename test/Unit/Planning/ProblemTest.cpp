#include "froe/Planning/Problem.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

TEST(Problem, TextRoundTrip) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    Problem problem = test::randomProblem(random, {5, 3, test::Shape::Any, i % 2 == 0, i % 3 == 0});
    EXPECT_EQ(Problem::parse(problem.str()), problem) << problem.str();
  }
}

std::string error(const Problem &problem) { return problem.check().value_or(""); }

TEST(Problem, Check) {
  const Problem good = Problem::parse("node a cost 1 2 uses 0..2 60 30\nnode b cost 4\nedge a b cost 0 / 5\n").value();
  Problem bad = good;
  bad.edges[0].to = 0;
  EXPECT_EQ(error(bad), "edge 'a' 'a': leads to itself");
  bad.edges[0].to = 7;
  EXPECT_EQ(error(bad), "edge between nodes 0 and 7 of 2");
  bad = good;
  bad.edges[0].cost.edit().pop_back();
  EXPECT_EQ(error(bad), "edge 'a' 'b': expected 2 x 1 costs, found 1");
  bad = good;
  bad.edges[0].cost.edit()[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error(bad), "edge 'a' 'b': a cost is negative or no number");
  bad = good;
  bad.nodes[0].cost.edit()[0] = -1;
  EXPECT_EQ(error(bad), "node 'a': a cost is negative or no number");
  bad = good;
  bad.nodes[0].cost.edit().clear();
  EXPECT_EQ(error(bad), "node 'a': no strategies");
  bad = good;
  bad.nodes[0].fixed = 2;
  EXPECT_EQ(error(bad), "node 'a': fixed to strategy 2 of 2");
  bad = good;
  bad.nodes[0].uses[0].live = {2, 2};
  EXPECT_EQ(error(bad), "node 'a': live in the empty interval 2..2");
  bad = good;
  bad.nodes[0].uses[0].bytes = {1};
  EXPECT_EQ(error(bad), "node 'a': expected bytes of 2 strategies, found 1");
  bad.nodes[0].uses[0].bytes = {1, -1};
  EXPECT_EQ(error(bad), "node 'a': negative bytes");
  bad = good;
  bad.memoryLimit = -1;
  EXPECT_EQ(error(bad), "expected a memory limit of at least 0, found -1");
}

} // namespace
} // namespace froe

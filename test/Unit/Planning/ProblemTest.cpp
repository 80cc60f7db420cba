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
  bad = good;
  bad.nodes[0].uses[0].live = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  EXPECT_EQ(error(bad), "node 'a': live in the empty interval 9223372036854775807..-9223372036854775808");
  bad = good;
  bad.nodes[0].uses.push_back({{5, 6}, {int64_t(1) << 62, 0}});
  EXPECT_EQ(error(bad), "");
  bad.nodes[0].uses.push_back({{7, 8}, {0, int64_t(1) << 62}});
  EXPECT_EQ(error(bad), "all uses together hold more bytes than can be counted");
  bad = good;
  bad.nodes[0].cost = {1e308, 0};
  bad.nodes[1].cost = {1e308};
  EXPECT_EQ(error(bad), "all costs together exceed any number");
}

std::string parseError(std::string_view text) {
  std::expected<Problem, std::string> problem = Problem::parse(text);
  return problem ? "" : problem.error();
}

TEST(Problem, HostileText) {
  EXPECT_EQ(parseError("node a cost 1 nan"), "node 'a': a cost is negative or no number");
  EXPECT_EQ(parseError("node a cost -1"), "node 'a': a cost is negative or no number");
  EXPECT_EQ(parseError("node a cost -inf"), "node 'a': a cost is negative or no number");
  EXPECT_EQ(parseError("node a cost 1e999"), "line 1: unexpected '1e999'");
  EXPECT_EQ(parseError("node a cost 1,5"), "line 1: unexpected '1,5'");
  EXPECT_EQ(parseError("node a cost"), "node 'a': no strategies");
  EXPECT_EQ(parseError("node a cost 1 2 uses 0..1 5"), "node 'a': expected bytes of 2 strategies, found 1");
  EXPECT_EQ(parseError("node a cost 1 uses 0..1 99999999999999999999"), "line 1: unexpected '99999999999999999999'");
  EXPECT_EQ(parseError("node a cost 1 uses 0..1 9223372036854775807 uses 3..4 1"),
            "all uses together hold more bytes than can be counted");
  EXPECT_EQ(parseError("node a cost 1 uses 0..99999999999999999999 1"), "line 1: expected an interval such as 0..3");
  EXPECT_EQ(parseError("node a cost 1 uses 5..2 1"), "node 'a': live in the empty interval 5..2");
  EXPECT_EQ(parseError("node a cost 1 fixed 99999999999"), "line 1: expected the number of a strategy");
  EXPECT_EQ(parseError("node a cost 1 fixed -7"), "node 'a': fixed to strategy -7 of 1");
  EXPECT_EQ(parseError("limit -3"), "expected a memory limit of at least 0, found -3");
  EXPECT_EQ(parseError("limit 1e3"), "line 1: expected a number of bytes");
  EXPECT_EQ(parseError("node a cost 1\nedge a a cost 1"), "edge 'a' 'a': leads to itself");
  EXPECT_EQ(parseError("node a cost 1\nnode a cost 1"), "line 2: node 'a' is there already");
  EXPECT_EQ(parseError(std::string_view("node a\0b cost 1", 15)), "");
  EXPECT_EQ(parseError(std::string(100'000, '/')),
            "line 1: expected limit, node or edge, found '" + std::string(100'000, '/') + "'");
}

/// Whatever is cut off or overwritten, the answer is a problem that passes its check, or an error.
TEST(Problem, DamagedTextIsNoProblemOrAGoodOne) {
  std::mt19937 random(8);
  for (int i = 0; i < 400; ++i) {
    std::string text = test::randomProblem(random, {4, 3, test::Shape::Any, true, true}).str();
    text.resize(1 + random() % text.size());
    for (int damage = random() % 4; damage > 0; --damage)
      text[random() % text.size()] = " -.0e9\ninf/"[random() % 11];
    if (std::expected<Problem, std::string> problem = Problem::parse(text))
      EXPECT_EQ(problem->check(), std::nullopt) << text;
    else
      EXPECT_FALSE(problem.error().empty());
  }
}

} // namespace
} // namespace froe

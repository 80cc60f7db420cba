#include "froe/Planning/Solution.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

const Problem kProblem = Problem::parse("limit 100\n"
                                        "node a cost 1 2 uses 0..2 60 30\n"
                                        "node b cost 4 3 uses 1..3 50 80\n"
                                        "node c cost 0 inf fixed 0\n"
                                        "edge a b cost 0 5 / 2 inf\n")
                             .value();

Solution right() { return {{1, 0, 0}, 8, 7, 80}; }

std::string wrong(const Solution &solution) { return verify(kProblem, solution).value_or(""); }

TEST(Solution, CostAndPeak) {
  EXPECT_EQ(costOf(kProblem, {1, 0, 0}), 8);
  EXPECT_EQ(peakBytesOf(kProblem, {1, 0, 0}), 80);
  EXPECT_EQ(peakBytesOf(kProblem, {0, 0, 0}), 110);
}

TEST(Solution, BytesEndBeforeTheNextBegin) {
  Problem problem = Problem::parse("node a cost 0 uses 0..2 60\nnode b cost 0 uses 2..3 50\n").value();
  EXPECT_EQ(peakBytesOf(problem, {0, 0}), 60);
}

TEST(Solution, Verify) {
  EXPECT_EQ(wrong(right()), "");
  Solution solution = right();
  solution.choice = {1, 0};
  EXPECT_EQ(wrong(solution), "expected choices for 3 nodes, found 2");
  solution.choice = {1, 2, 0};
  EXPECT_EQ(wrong(solution), "node 'b': strategy 2 of 2");
  solution.choice = {1, 0, 1};
  EXPECT_EQ(wrong(solution), "node 'c': expected the fixed strategy 0, found 1");
  solution.choice = {1, 1, 0};
  EXPECT_EQ(wrong(solution), "the choice is excluded: its cost is infinite");
  solution = {{0, 0, 0}, 5, 5, 110};
  EXPECT_EQ(wrong(solution), "110 bytes are live at once, more than the limit of 100");
  solution = right();
  solution.cost = 7.9;
  EXPECT_EQ(wrong(solution), "expected a cost of 8, found 7.9");
  solution = right();
  solution.peakBytes = 81;
  EXPECT_EQ(wrong(solution), "expected a peak of 80 bytes, found 81");
  solution = right();
  solution.bound = 8.1;
  EXPECT_EQ(wrong(solution), "expected a bound between 0 and the cost 8, found 8.1");
  solution.bound = -1;
  EXPECT_EQ(wrong(solution), "expected a bound between 0 and the cost 8, found -1");
}

TEST(Solution, Gap) {
  EXPECT_EQ((Solution{{}, 8, 6, 0}.gap()), 0.25);
  EXPECT_EQ((Solution{{}, 0, 0, 0}.gap()), 0);
}

} // namespace
} // namespace froe

#include "lib/Planning/Anytime/Branching.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

namespace froe {
namespace {
using test::bruteForce;
using test::randomProblem;
using test::Shape;

constexpr int64_t kLittleWork = 20'000;

class BranchingOracle : public testing::TestWithParam<double> {};

/// However dear the choice known before is, the search ends, on its way never bounds above the best choice, and has
/// found it unless it was known.
TEST_P(BranchingOracle, EndsAtTheBestChoice) {
  std::mt19937 random(23);
  int searched = 0;
  for (int i = 0; i < 80 && !HasFailure(); ++i) {
    Problem problem = randomProblem(random, {8, 4, Shape::Any, true});
    std::optional<Solution> best = bruteForce(problem);
    if (!best)
      continue;
    Core core{Reduction(problem)}; // as it is: little would be left of problems as small as these
    double found = best->cost * GetParam() + (GetParam() > 1 ? 1 : 0);
    Dual dual(core);
    dual.run(1, found);
    Branching branching(core, dual);
    for (int round = 0; round < 10'000 && branching.bound() < found; ++round) {
      EXPECT_LE(branching.bound(), best->cost + 1e-9) << problem.str();
      branching.run(kLittleWork, found);
      if (!branching.fitting().empty()) {
        EXPECT_TRUE(core.fits(core.usageOf(branching.fitting())));
        found = core.costOf(branching.fitting());
      }
    }
    EXPECT_GE(branching.bound(), found) << problem.str();
    EXPECT_NEAR(found, best->cost, 1e-9) << problem.str();
    ++searched;
  }
  EXPECT_GT(searched, 20);
}

INSTANTIATE_TEST_SUITE_P(Known, BranchingOracle, testing::Values(1, 1.01, 1.5, 4));

} // namespace
} // namespace froe

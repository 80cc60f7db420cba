#include "RandomProblem.h"
#include "lib/Planning/Anytime/Dual.h"

#include <gtest/gtest.h>

namespace froe {
namespace {
using test::bruteForce;
using test::ProblemSize;
using test::randomProblem;
using test::Shape;

class DropLabels : public testing::TestWithParam<ProblemSize> {};

/// If a label of the best choice were dropped, sooner or later the bound would pass the best cost.
TEST_P(DropLabels, NeverOneThatABetterChoiceHas) {
  std::mt19937 random(23);
  constexpr int kProblems = 2000, kSteps = 150;
  for (int i = 0; i < kProblems && !HasFailure(); ++i) {
    Problem problem = randomProblem(random, GetParam());
    std::optional<Solution> best = bruteForce(problem);
    if (!best)
      continue;
    Core core{Reduction(problem)}; // as it is: little would be left of problems as small as these
    Dual dual(core);
    double known = best->cost + (core.integral ? 1 : 0.01);
    for (int run = 0; run < 3; ++run) // ends early where the bound comes near
      dual.run(kSteps * core.cells, known);
    EXPECT_LE(dual.bound(), best->cost + 1e-9 * (1 + best->cost)) << problem.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Small, DropLabels,
                         testing::Values(ProblemSize{6, 3, Shape::Any}, ProblemSize{6, 3, Shape::Any, true},
                                         ProblemSize{6, 3, Shape::Any, true, true},
                                         ProblemSize{6, 3, Shape::Tree, true}));

} // namespace
} // namespace froe

#pragma once

#include "froe/Planning/Solve.h"

#include <random>

namespace froe::test {

enum class Shape { Chain, Tree, Any };

struct ProblemSize {
  int nodes = 6, strategies = 3;
  Shape shape = Shape::Any;
  bool memory = false;   ///< with a limit somewhere between what the smallest and the cheapest choice need
  bool excludes = false; ///< some costs are infinite, some nodes fixed
};

Problem randomProblem(std::mt19937 &random, const ProblemSize &size);

/// Up to eight nodes in blocks that share their tables, in a chain, with a limit.
Problem repeatedProblem(std::mt19937 &random);

/// The cheapest choice that fits, by trying all; nullopt if there is none.
std::optional<Solution> bruteForce(const Problem &problem);
/// The least memory of all choices that are not excluded; nullopt if all are.
std::optional<int64_t> leastPeak(const Problem &problem);

} // namespace froe::test

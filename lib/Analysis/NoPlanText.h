#pragma once

#include "froe/Analysis/ProgramGraph.h"
#include "froe/Planning/Solution.h"

#include <string>

namespace froe {

std::string bytesText(int64_t bytes);

/// The three values that take most memory in a choice, with their sizes.
std::string largestTensors(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice);

/// Why there is no plan, for the user.
std::string noPlanText(const NoPlan &none, const ProgramGraph &graph, const Problem &problem);

} // namespace froe

#pragma once

#include "froe/Analysis/PlanResult.h"
#include "froe/Analysis/ProgramGraph.h"
#include "froe/Planning/Solution.h"

#include <string>

namespace froe {

/// The values that take most memory in a choice, equal ones once, with their sizes in the units of `limit`.
std::string largestTensors(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice,
                           int64_t limit);

/// That nothing fits, and what would be needed. `smallest`: bytes per device of the smallest plan found.
std::string tooLargeText(bool proven, int64_t limit, int64_t devices, int64_t smallest, const std::string &largest);
/// Whether an error is one of these.
bool isTooLarge(const std::string &error);

/// Why there is no plan, for the user.
std::string noPlanText(const NoPlan &none, const ProgramGraph &graph, const Problem &problem);

/// Lines to be added to a `tooLargeText`: what more devices need, and how fast they are.
std::string moreDevicesText(const std::vector<DeviceCount> &counts, int64_t limit);

} // namespace froe

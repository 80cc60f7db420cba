#pragma once

#include "froe/Sharding/Strategy.h"

namespace froe {

/// makeStrategy for axes and forms that are known to be right; where the rule forbids the strategy, nothing, without
/// saying why. `partialAxes` are ascending.
std::optional<Strategy> makeCheckedStrategy(const Rule &rule, const Mesh &mesh, const std::vector<AxisList> &factorAxes,
                                            const AxisList &partialAxes, int partialForm, ReduceKind partialKind);

} // namespace froe

#pragma once

#include "froe/Sharding/ReshardPath.h"

namespace froe {

/// What planReshard's paths cost, from each of `from` to each of `to`, row-major; infinity where there is none. One
/// search for all of them: many times faster than one after the other. No two of `from` need differ.
std::vector<double> reshardTable(std::span<const int64_t> shape, int64_t elementBytes,
                                 std::span<const Sharding *const> from, std::span<const Sharding *const> to,
                                 const Mesh &mesh, const StepCost &cost);

} // namespace froe

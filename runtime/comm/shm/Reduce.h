// The arithmetic of reducing collectives.
#pragma once

#include "froe_rt.h"

#include <cstdint>
#include <span>

namespace froe::rt {

/// Whether `reduce` is defined for elements of `type`: and, or are not for floats.
bool canReduce(froe_reduce reduce, froe_type type);

/// outs[j][i] = ins[0][i] (+) ins[1][i] (+) ..., in this order, for i in [0, count) and all j. An out may be one of the
/// ins. Sums and products of f16 and bf16 are kept in f32 and rounded once; max and min propagate NaN; bools: sum, max,
/// or are "or", product, min, and are "and".
void reduceInto(froe_reduce reduce, froe_type type, std::span<const void *const> ins, std::span<void *const> outs,
                int64_t count);

} // namespace froe::rt

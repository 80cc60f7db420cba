// Weights of f32 that the program wants as f16 or bf16.
#pragma once

#include "froe_rt.h"

#include <cstdint>

namespace froe {

/// Rounds `count` f32 numbers, at any address, to `to` (FROE_F16 or FROE_BF16): to the nearest, ties to even. NaN and
/// infinities stay; finite numbers beyond the range become the type's largest, as `froe.cast saturate` does.
void narrowFloats(const char *from, int64_t count, froe_type to, uint16_t *narrow);

} // namespace froe

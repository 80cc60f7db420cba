#pragma once

#include "froe_rt.h"

namespace froe::cpu {

/// froe_rt_matmul on the rank's threads; what it prepares stays in the rank's cache for the step.
void runMatmul(froe_rt &rt, int32_t step, const froe_matmul &matmul, void *const *buffers);

} // namespace froe::cpu

// What the sample programs for the processor and for CUDA devices describe alike: y = all_gather(x * w) on two ranks,
// with x cut along its first dim.
#pragma once

#include "froe_rt.h"

namespace sample {

constexpr int64_t kRows = 5, kColumns = 3;
constexpr uint64_t kX = 0, kProduct = 64, kY = 128, kArena = 192;

const int64_t shape[] = {kRows, kColumns}, weightShape[] = {kColumns};
const froe_axes x{1, {0}}, whole{0, {}};
const froe_axes cutRows[] = {x, whole}, uncut[] = {whole, whole};

const froe_port inputs[] = {{"x/in", FROE_F32, 2, shape, cutRows, kX}};
const froe_port outputs[] = {{"y", FROE_F32, 2, shape, uncut, kY}, {"half y", FROE_F32, 2, shape, cutRows, kProduct}};
const froe_weight weights[] = {{"w", FROE_F32, 1, weightShape, kColumns * sizeof(float)}};
const froe_step steps[] = {{"scale", "multiply"}, {"gather", "all_gather"}};

} // namespace sample

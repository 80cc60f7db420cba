// A hand-written program for two ranks, as the compiler would emit it: y = all_gather(x * w), with x cut along its
// first dim. A rank whose block starts with a negative number gathers too little, which no compiled program does. The
// object is linked with libfroe_rt.a and nothing else.
#include "froe_rt.h"

namespace {

constexpr int64_t kRows = 5, kColumns = 3, kBlock = 3; // 3 + 2 rows
constexpr uint64_t kX = 0, kProduct = 64, kY = 128, kArena = 192;

const int64_t shape[] = {kRows, kColumns}, weightShape[] = {kColumns};
const froe_axes x{1, {0}}, whole{0, {}};
const froe_axes cutRows[] = {x, whole}, uncut[] = {whole, whole};

const froe_port inputs[] = {{"x/in", FROE_F32, 2, shape, cutRows, kX}};
const froe_port outputs[] = {{"y", FROE_F32, 2, shape, uncut, kY}, {"half y", FROE_F32, 2, shape, cutRows, kProduct}};
const froe_weight weights[] = {{"w", FROE_F32, 1, weightShape, kColumns * sizeof(float)}};
const froe_step steps[] = {{"scale", "multiply"}, {"gather", "all_gather"}};

int32_t multiply(void *const *buffers, int64_t begin, int64_t end) {
  auto *in = static_cast<const float *>(buffers[0]), *weight = static_cast<const float *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[2]);
  for (int64_t i = begin * kColumns; i < end * kColumns; ++i)
    out[i] = in[i] * weight[i % kColumns];
  return FROE_FAULT_NONE;
}

void run(froe_rt *rt) {
  char *arena = static_cast<char *>(froe_rt_arena(rt));
  void *buffers[] = {arena + kX, const_cast<void *>(froe_rt_weight(rt, 0)), arena + kProduct};
  froe_rt_kernel(rt, 0, multiply, buffers, kBlock, 1);
  bool disagrees = *reinterpret_cast<const float *>(arena + kX) < 0;
  froe_rt_all_gather(rt, 1, &x, FROE_F32, 1, kRows, disagrees ? 1 : kColumns, arena + kProduct, arena + kY);
}

} // namespace

extern const froe_program froe_program_main{
    FROE_RT_ABI_VERSION, "sample", 1, {2}, kArena, 1, inputs, 2, outputs, 1, weights, 2, steps, run};

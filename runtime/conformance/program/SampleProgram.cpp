// A hand-written program for two ranks, as the compiler would emit it: y = all_gather(x * w), with x cut along its
// first dim. A rank whose block starts with a negative number gathers too little, which no compiled program does. The
// object is linked with libfroe_rt.a and nothing else.
#include "runtime/conformance/program/Sample.h"

using namespace sample;

namespace {

constexpr int64_t kBlock = 3; // rows: 3 + 2

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

#include "runtime/comm/shm/Reduce.h"

#include <cstddef>

namespace froe::rt {

namespace {

struct BFloat16 {
  uint16_t bits;
};

/// Bools are one byte, 0 or 1.
froe_reduce logical(froe_reduce reduce) {
  return reduce == FROE_SUM || reduce == FROE_MAX || reduce == FROE_OR ? FROE_OR : FROE_AND;
}

namespace baseline {
#include "runtime/comm/shm/ReduceLoops.inc"
} // namespace baseline

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
namespace avx2 {
#include "runtime/comm/shm/ReduceLoops.inc"
} // namespace avx2
#pragma clang attribute pop

baseline::Loop loopOf(froe_reduce reduce, froe_type type) {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return hasAvx2 ? avx2::loopOf(reduce, type) : baseline::loopOf(reduce, type);
}
#else
using baseline::loopOf;
#endif

} // namespace

bool canReduce(froe_reduce reduce, froe_type type) {
  bool isFloat = type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16;
  return !isFloat || (reduce != FROE_AND && reduce != FROE_OR);
}

void reduceInto(froe_reduce reduce, froe_type type, std::span<const void *const> ins, std::span<void *const> outs,
                int64_t count) {
  loopOf(reduce, type)(ins.data(), int64_t(ins.size()), outs.data(), int64_t(outs.size()), count);
}

} // namespace froe::rt

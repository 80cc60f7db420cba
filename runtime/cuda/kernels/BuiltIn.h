// The plug-in's own kernels: what no library does, for any type and stride. Compiled twice from one source: to PTX for
// devices, and for the host as the twins that the driver's double runs. All parameters are 8 bytes.
#pragma once

#include "froe_rt.h"

namespace froe::cuda {

/// froe_builtin_reduce: out[i] = in[i] (+) in[stride + i] (+) ..., `terms` of them, in this order; sums and products of
/// half-precision types in f32, max and min keep NaN.
struct ReduceArguments {
  uint64_t in, out;
  int64_t terms, stride, count, type, reduce;
};

/// froe_builtin_fill: out[r * pitch + i] = value for i in [0, width), all in elements of `bytes` bytes.
struct FillArguments {
  uint64_t out;
  int64_t rows, pitch, width, bytes;
  uint64_t value;
};

/// froe_builtin_matmul: the product as froe_rt.h describes it; with `multiply` 0 only its posts, from `first` on, on c
/// in place. `matmul` lies in device memory.
struct MatmulArguments {
  uint64_t matmul;
  uint64_t buffers[3 + FROE_MAX_POSTS];
  int64_t multiply, first;
};

} // namespace froe::cuda

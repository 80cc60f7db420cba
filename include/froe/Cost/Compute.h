#pragma once

#include "froe/Cost/Cluster.h"

namespace froe {

/// Bytes of one element of a type as MLIR writes it (f32, bf16, i64, i1, f8E4M3FN, index); types below a byte take one.
/// 0 if it is none.
int64_t elementBytes(std::string_view elementType);

/// `batch` products of an m x k by a k x n matrix on one device (local sizes).
struct MatmulShape {
  int64_t m = 1, n = 1, k = 1, batch = 1;
};

/// Seconds inside the kernel; a caller adds cluster.device.kernelOverheadSeconds once a kernel, so that fused ops cost
/// it once.
///
/// Arithmetic and traffic overlap in part: (c^p + t^p)^(1/p) with c = 2mnk / rate, t = bytes of all three operands /
/// bandwidth and p = 1.3, fitted to products of 1 to 1024 rows: 8 x 4096 x 4096 takes a half more than either term, 128
/// x 3072 x 768 runs at 97 % of the rate.
double matmulSeconds(const Cluster &cluster, const MatmulShape &shape, std::string_view elementType);

/// Seconds of a memory-bound kernel that reads and writes `bytes` in all, without its overhead: the first cacheBytes at
/// the rate of the cache, the rest at that of memory.
double streamSeconds(const Cluster &cluster, int64_t bytes);

/// Seconds of a kernel that does `flops` operations on `bytes`, neither of them by matrix products (convolution,
/// softmax, transcendental functions): the same overlap as in matmulSeconds.
double kernelSeconds(const Cluster &cluster, double flops, double flopsPerSecond, int64_t bytes);

} // namespace froe

#pragma once

#include "froe/Cost/Cluster.h"

namespace froe {

/// Bytes of one element of a type as MLIR writes it (f32, bf16, i64, i1, f8E4M3FN, index); types below a byte take one.
/// 0 if it is none.
int64_t elementBytes(std::string_view elementType);

/// `batch` products of an m x k by a k x n matrix on one device (local sizes).
struct MatmulShape {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  bool weight = true; ///< the k x n matrix is one, and comes from memory
  /// False of a matrix (m x k, k x n, m x n) that the kernel has in registers, as part of a fused one.
  bool readsLeft = true, readsRight = true, writesResult = true;

  bool operator==(const MatmulShape &) const = default;
};

/// Seconds inside the kernel; a caller adds cluster.device.kernelOverheadSeconds once a kernel, so that fused ops cost
/// it once.
///
/// Arithmetic c = 2mnk / rate and traffic t = weight / memory bandwidth + streamSeconds(the others) overlap in part:
/// max(c, t) + (1 - overlap) min(c, t). Rate and overlap are those of the shape's class.
double matmulSeconds(const Cluster &cluster, const MatmulShape &shape, std::string_view elementType);

/// What a product by a square weight took: by one that stayed in cache, and by ones that came from memory.
struct MatmulTimes {
  int64_t rows = 1, cachedSide = 0, streamedSide = 0;
  double cachedSeconds = 0, streamedSeconds = 0;
};

/// The point of the rate table with which matmulSeconds gives `streamedSeconds`. The cached product tells the rate;
/// where both terms together are too little, large products are slower than small ones, and the rate is less.
MatmulRates::Point fitMatmul(const Cluster &cluster, const MatmulTimes &times, std::string_view elementType);

/// Seconds of a memory-bound kernel that reads and writes `bytes` in all, without its overhead: the first cacheBytes at
/// the rate of the cache, the rest at that of memory.
double streamSeconds(const Cluster &cluster, int64_t bytes);

/// Seconds of a kernel that does `flops` operations on `bytes`, neither of them by matrix products (convolution,
/// softmax, transcendental functions); half of the smaller term hides behind the other.
double kernelSeconds(const Cluster &cluster, double flops, double flopsPerSecond, int64_t bytes);

} // namespace froe

#pragma once

#include "runtime/cpu/PanelLayout.h"
#include "runtime/cpu/Product.h"

#include <cstddef>
#include <expected>
#include <memory>
#include <string>

namespace froe::cpu {

/// One way to compute one product. Pieces are independent and may run at the same time on different threads.
class MatmulBackend {
public:
  virtual ~MatmulBackend() = default;
  virtual const char *name() const = 0;
  virtual int64_t pieces() const = 0;
  /// `buffers` as froe_rt_matmul's; a packed weight is only read.
  virtual void run(int64_t piece, void *const *buffers) = 0;
  /// Working memory of one piece, beside operands and result.
  virtual uint64_t scratchBytes() const = 0;
};

using BackendOr = std::expected<std::unique_ptr<MatmulBackend>, std::string>;

/// Own kernels: every type, every stride, no library. `layout` is the weight's, where b is one.
BackendOr prepareTiled(const Product &product, const PanelLayout &layout, int threads);
/// True if these kernels can read a weight that lies so.
bool tiledReads(froe_type type, const PanelLayout &layout);

/// oneDNN. An error where it has no just-in-time kernel for the product and `onlyFast` is set.
BackendOr prepareOneDnn(const Product &product, const PanelLayout &layout, int threads, bool onlyFast);
/// Whether `prepareOneDnn` finds fast kernels for one thread; makes none.
bool oneDnnIsFast(const Product &product, const PanelLayout &layout);
/// The panels oneDNN would like the product's weight to lie in; plain if it has no fast kernel for panels.
std::string oneDnnPacking(const Product &product);

/// OpenBLAS: f32 and f64, weights plain. Only on request.
BackendOr prepareOpenBlas(const Product &product, const PanelLayout &layout, int threads);

/// Memory of the calling thread, reused by whatever runs on it; 64-byte aligned.
void *threadScratch(uint64_t bytes);

/// Piece `index` of `pieces` equal parts of [0, extent), whose borders are multiples of `unit`.
struct Range {
  int64_t begin, end;
};
Range partOf(int64_t extent, int64_t unit, int64_t pieces, int64_t index);

} // namespace froe::cpu

#pragma once

#include "froe_rt.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace froe::cpu {

class MatmulBackend;

/// The weight of a product as the package stores it (PackedWeights.h).
struct StoredWeight {
  const void *data;
  std::string packing;
};

/// A matrix product, prepared once and executed many times.
///
/// Which library or kernel does it is decided here, by what the processor and the installed libraries offer for the
/// element type and shape; the environment variable FROE_MATMUL_BACKEND (`onednn`, `openblas` or `tiled`) prefers one.
/// A weight that was packed for another kind of processor is repacked, into memory of this object.
class Matmul {
public:
  /// `weight` must be given, and stay, if the product has one. Errors: an unknown packing, a post that the type lacks.
  static std::expected<std::unique_ptr<Matmul>, std::string> prepare(const froe_matmul &matmul, int threads,
                                                                     const StoredWeight *weight = nullptr);
  ~Matmul();

  /// Pieces are independent; all of them together, in any order and on any threads, are one execution. `buffers` as
  /// froe_rt_matmul's; a weight's is not looked at.
  int64_t pieces() const;
  void run(int64_t piece, void *const *buffers);
  /// All pieces on this thread.
  void run(void *const *buffers);

  const char *backend() const;
  /// Working memory of each thread, and memory of a repacked weight.
  uint64_t scratchBytes() const;
  uint64_t repackedBytes() const { return repackedSize; }

private:
  Matmul();

  int bufferCount = 3;
  std::unique_ptr<MatmulBackend> implementation; /* null: the result is empty */
  void *weight = nullptr;                        /* as stored, or repacked */
  std::unique_ptr<void, void (*)(void *)> repacked;
  uint64_t repackedSize = 0;
};

} // namespace froe::cpu

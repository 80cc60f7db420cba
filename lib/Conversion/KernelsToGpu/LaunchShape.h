// How a kernel's work is cut over threads: decided before any code is built.
#pragma once

#include "dialects/Froe/KernelDomain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

constexpr int64_t kWarp = 32;

struct LaunchShape {
  /// Points: each thread computes `vector` consecutive elements of the domain.
  /// Rows: `team` threads compute a row together, each one `turns` vectors of it, `team` vectors apart.
  enum Form { Points, Rows } form = Points;
  int64_t vector = 1;          ///< consecutive elements, so that an access of the narrowest full tensor has 16 bytes
  int64_t team = 1;            ///< a power of two
  int64_t turns = 1;           ///< vectors of a row that one thread computes
  bool inRegisters = true;     ///< a thread's part of a row is held in registers; otherwise computed again in each pass
  int64_t rowsPerBlock = 1;    ///< more than one only where a team is within a warp
  int64_t block = 0, grid = 0; ///< threads, blocks

  static LaunchShape of(mlir::func::FuncOp kernel, const KernelDomain &domain);
};

/// Whether `op` combines the elements of whole rows of the domain into what its result needs.
bool looksAtRows(mlir::Operation *op, const KernelDomain &domain);

} // namespace froe

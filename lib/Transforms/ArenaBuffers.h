// The buffers that a straight line of steps needs in the arena, and when each is alive.
#pragma once

#include "dialects/Froe/Froe.h"
#include "dialects/Rank/Rank.h"
#include "froe/Planning/ArenaLayout.h"

#include <vector>

namespace froe {

/// Whether `op` writes buffers.
bool isStep(mlir::Operation *op);

/// The value whose buffer `value` is, looking through views.
mlir::Value bufferRoot(mlir::Value value);

class ArenaBuffers {
public:
  /// Of all values of @main's block that lie in the arena; steps are the positions of operations. Emits an error where
  /// something is no step, or is expected in the arena and lies elsewhere.
  mlir::LogicalResult collect(mlir::Block &block);
  /// By the value that `bufferRoot` returns; null: it lies elsewhere.
  Buffer *find(mlir::Value root);

  std::vector<Buffer> list;

private:
  void define(mlir::Value value, int64_t step);
  void use(mlir::Value value, int64_t step);
  void defineInPlace(mlir::Operation *op, int64_t step, const mlir::DenseMap<mlir::Operation *, int64_t> &stepOf);

  mlir::DenseMap<mlir::Value, int> indexOf;
};

} // namespace froe

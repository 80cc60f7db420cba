// Transposes through shared memory: global memory is read and written along its own innermost dim.
#pragma once

#include "lib/Conversion/FroeToElements/KernelBuffers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace froe {

/// A block computes a tile of two dims of the domain: the innermost one, and the one that is innermost in the operands
/// of some transposes. Elements of these are collected in shared memory first.
struct TilePlan {
  llvm::SmallVector<TransposeOp> transposes;
  int64_t dim = 0;               ///< of the domain, which the operands' innermost dim becomes
  int64_t height = 0, width = 0; ///< of a tile: along `dim`, along the innermost dim
  int64_t block = 0, grid = 0;   ///< threads, blocks

  /// Nothing if no transpose moves the innermost dim, or if the kernel does more than map elements.
  static std::optional<TilePlan> of(mlir::func::FuncOp kernel, const KernelDomain &domain);
};

/// `thread` and `block` are the numbers of these.
void emitTiles(const TilePlan &plan, const KernelDomain &domain, Elements &elements, mlir::gpu::GPUFuncOp function,
               mlir::Value thread, mlir::Value block, llvm::ArrayRef<KernelResult> results);

} // namespace froe

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

namespace froe {

/// Which values of a program never reach memory, because the op that makes them and the one that uses them become one
/// kernel. A forecast: what is fused in the end is FormKernels' and SelectMatmuls' decision.
class KernelForecast {
public:
  explicit KernelForecast(mlir::func::FuncOp main);

  bool staysInKernel(mlir::Value value) const { return inKernel.contains(value); }
  /// Whether a value takes memory of its own.
  bool isStored(mlir::Value value) const;
  /// Whether the op is done on each element of a product before it is stored.
  bool followsProduct(mlir::Operation *op) const { return behindProduct.contains(op); }

private:
  llvm::DenseSet<mlir::Value> inKernel;
  llvm::DenseSet<mlir::Operation *> behindProduct;
};

/// Whether a value is a weight, or one with its dims in another order.
bool isWeight(mlir::Value value);

} // namespace froe

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace froe {
struct Device;

/// What a product is in an attention that becomes one kernel.
enum class AttentionPart { None, Scores, Values };

/// Which values of a program never reach memory, because the op that makes them and the one that uses them become one
/// kernel. A forecast: what is fused in the end is FormKernels', SelectMatmuls' and FuseAttention's decision.
class KernelForecast {
public:
  /// Of the kernels that are made for `device`.
  KernelForecast(mlir::func::FuncOp main, const Device &device);

  bool staysInKernel(mlir::Value value) const { return inKernel.contains(value) || fused.contains(value); }
  /// Whether a value takes memory of its own.
  bool isStored(mlir::Value value) const;
  /// Whether the op is done on each element of a product before it is stored.
  bool followsProduct(mlir::Operation *op) const { return behindProduct.contains(op); }
  /// Whether a value is stored because a product's step ends with it. Where the product's result takes another form
  /// first, a kernel makes the value, and it stays there.
  bool endsProduct(mlir::Value value) const { return ends.contains(value); }
  AttentionPart partOf(mlir::Operation *product) const { return parts.lookup(product); }
  /// Where a value stays in a kernel only because an attention is fused, all those that must for this; else nothing.
  llvm::ArrayRef<mlir::Value> fusedWith(mlir::Value value) const;

private:
  void visit(mlir::Operation &op);
  void fuseAttention(mlir::func::FuncOp main);

  llvm::DenseSet<mlir::Value> inKernel, ends;
  llvm::DenseSet<mlir::Operation *> behindProduct;
  llvm::DenseMap<mlir::Operation *, AttentionPart> parts;
  std::vector<llvm::SmallVector<mlir::Value>> attentions; ///< what is between the products of each
  llvm::DenseMap<mlir::Value, size_t> fused;              ///< in which of these
};

/// Whether a value is a weight, or one with its dims in another order.
bool isWeight(mlir::Value value);

} // namespace froe

// Ops that look at more than one element: what a thread needs before it can give single elements of their results.
#pragma once

#include "lib/Conversion/KernelsToGpu/Share.h"
#include "lib/Conversion/KernelsToGpu/Team.h"

namespace froe {

struct ThreadCode {
  Elements &elements;
  const KernelDomain &domain;
  Share &share;
  Team &team;
  llvm::SmallVector<mlir::Value> outer; ///< indices in front of those of `share`

  mlir::ImplicitLocOpBuilder &builder() { return elements.builder; }
  llvm::SmallVector<mlir::Value> full(Indices row) const;
  mlir::Value at(mlir::Value tensor, Indices row) { return elements.at(tensor, full(row)); }
  void declareFull(mlir::Value tensor, std::function<mlir::Value(Indices row)> source);
  /// Over the row, by all its threads.
  mlir::Value reduce(Reduction kind, mlir::Type elementType, llvm::function_ref<mlir::Value(Indices row)> element);
};

void prepare(ReduceOp op, ThreadCode &code);
void prepare(SoftmaxOp op, ThreadCode &code);
void prepare(NormalizeOp op, ThreadCode &code);

} // namespace froe

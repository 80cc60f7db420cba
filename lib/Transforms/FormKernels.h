// The parts of `form-kernels`.
#pragma once

#include "dialects/Froe/Froe.h"
#include "dialects/Froe/KernelDomain.h"
#include "dialects/Rank/Rank.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

/// Operations that become one kernel, in the order of the program.
using KernelOps = llvm::SetVector<mlir::Operation *>;

/// Whether kernels may hold `op`: a froe op that computes, or a view.
bool isKernelOp(mlir::Operation *op);

/// Operations whose result nobody needs in memory: cloned for each user.
bool isFree(mlir::Operation *op);

/// The values of `ops` that others use.
llvm::SmallVector<mlir::Value> resultsOf(const KernelOps &ops);

/// The domain over which `ops` can be computed together, if there is one (FormKernelsDomain.cpp).
std::optional<KernelDomain> findDomain(const KernelOps &ops);

/// Groups the operations of a block; each one that kernels may hold, and that is not free, is in one group
/// (FormKernelsGroup.cpp).
std::vector<KernelOps> groupOps(mlir::Block &block);

/// A private function that computes `ops`, and the operands that it takes (FormKernelsOutline.cpp).
struct OutlinedKernel {
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> operands;
};
OutlinedKernel outline(const KernelOps &ops, const KernelDomain &domain);

/// Joins dims of the domain that all tensors of the kernel treat alike, and writes the domain's attributes
/// (FormKernelsCollapse.cpp).
void collapseDims(mlir::func::FuncOp kernel, KernelDomain domain);

} // namespace froe

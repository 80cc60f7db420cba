#include "froe/Analysis/KernelForecast.h"

#include "dialects/Froe/Froe.h"

namespace froe {

namespace {
bool isElementwise(mlir::Operation *op) { return op->hasTrait<mlir::OpTrait::Elementwise>(); }

/// So cheap to compute that every kernel that needs it does it again.
bool isRepeated(mlir::Operation *op) { return llvm::isa<BroadcastOp, ConstantOp, IotaOp>(op); }

bool startsChain(mlir::Operation *op) { return isElementwise(op) || isRepeated(op) || llvm::isa<GatherOp>(op); }
bool continuesChain(mlir::Operation *op) {
  return isElementwise(op) || llvm::isa<SoftmaxOp, NormalizeOp, ReduceOp, BroadcastOp>(op);
}
} // namespace

KernelForecast::KernelForecast(mlir::func::FuncOp main) {
  for (mlir::Operation &op : main.getBody().front().without_terminator()) {
    for (mlir::Value operand : op.getOperands()) {
      mlir::Operation *producer = operand.getDefiningOp();
      bool fromProduct = producer && isElementwise(&op) && inKernel.contains(operand) &&
                         (llvm::isa<ContractOp>(producer) || behindProduct.contains(producer));
      if (fromProduct)
        behindProduct.insert(&op);
    }
    for (mlir::Value result : op.getResults()) {
      bool once = result.hasOneUse() || isRepeated(&op);
      bool chains = llvm::all_of(result.getUsers(), continuesChain) && startsChain(&op);
      bool product = llvm::isa<ContractOp>(op) && llvm::all_of(result.getUsers(), isElementwise);
      if (!result.use_empty() && once && (chains || product))
        inKernel.insert(result);
    }
  }
}

bool KernelForecast::isStored(mlir::Value value) const {
  return !llvm::isa_and_nonnull<ReshapeOp>(value.getDefiningOp()) && !staysInKernel(value);
}

bool isWeight(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && llvm::isa<ReshapeOp, TransposeOp, SliceOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && llvm::isa<WeightOp, ConstantOp>(op);
}

} // namespace froe

#include "froe/Analysis/KernelForecast.h"
#include "froe/Cost/Cluster.h"

#include "FusedAttention.h"

namespace froe {

namespace {
bool isElementwise(mlir::Operation *op) { return op->hasTrait<mlir::OpTrait::Elementwise>(); }

/// So cheap to compute that every kernel that needs it does it again.
bool isRepeated(mlir::Operation *op) { return llvm::isa<BroadcastOp, ConstantOp, IotaOp>(op); }

bool startsChain(mlir::Operation *op) {
  return isElementwise(op) || isRepeated(op) || llvm::isa<GatherOp, WindowOp>(op);
}
bool continuesChain(mlir::Operation *op) {
  return isElementwise(op) || llvm::isa<SoftmaxOp, NormalizeOp, ReduceOp, BroadcastOp>(op);
}
} // namespace

KernelForecast::KernelForecast(mlir::func::FuncOp main, const Device &device) {
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
  if (device.fusesAttention)
    fuseAttention(main);
}

void KernelForecast::fuseAttention(mlir::func::FuncOp main) {
  for (auto values : main.getOps<ContractOp>()) {
    std::optional<FusedAttention> attention = FusedAttention::endingIn(values);
    if (!attention)
      continue;
    parts[attention->scores] = AttentionPart::Scores;
    parts[attention->values] = AttentionPart::Values;
    for (mlir::Value value : attention->inner)
      if (!inKernel.contains(value))
        fused[value] = attentions.size();
    attentions.push_back(std::move(attention->inner));
  }
}

llvm::ArrayRef<mlir::Value> KernelForecast::fusedWith(mlir::Value value) const {
  auto known = fused.find(value);
  return known == fused.end() ? llvm::ArrayRef<mlir::Value>() : attentions[known->second];
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

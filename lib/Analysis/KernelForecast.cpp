#include "froe/Analysis/KernelForecast.h"
#include "froe/Cost/Cluster.h"

#include "FusedAttention.h"

#include "dialects/Froe/Constants.h"

namespace froe {

namespace {
bool isElementwise(mlir::Operation *op) { return op->hasTrait<mlir::OpTrait::Elementwise>(); }

/// So cheap to compute that every kernel that needs it does it again.
bool isRepeated(mlir::Operation *op) { return llvm::isa<BroadcastOp, ConstantOp, IotaOp>(op); }

/// Only says which elements are meant.
bool isLayout(mlir::Operation *op) { return llvm::isa<TransposeOp, SliceOp, ConcatOp, PadOp>(op); }

bool isOverRows(mlir::Operation *op) { return llvm::isa<SoftmaxOp, NormalizeOp, ReduceOp>(op); }

/// The op that uses a value: behind reshapes, which are no work.
mlir::Operation *userBehindReshapes(mlir::Operation *user) {
  while (llvm::isa<ReshapeOp>(user) && user->hasOneUse())
    user = *user->user_begin();
  return user;
}

bool startsChain(mlir::Operation *op) {
  return isElementwise(op) || isRepeated(op) || isLayout(op) || llvm::isa<GatherOp, WindowOp, ReshapeOp, ReduceOp>(op);
}
/// Whether a kernel that begins with `user` can compute its operand, which `op` makes, too.
bool continuesChain(mlir::Operation *op, mlir::Operation *user) {
  user = userBehindReshapes(user);
  if (llvm::isa<ReduceOp>(op)) // whose rows the kernel walks over
    return isElementwise(user);
  return isElementwise(user) || isLayout(user) || isOverRows(user) || llvm::isa<BroadcastOp>(user);
}
/// Whether the step of a product can do `op` to the elements of `value` before they are stored.
bool isPost(mlir::Operation *op, mlir::Value value) {
  if (llvm::isa<ReshapeOp>(op))
    return op->hasOneUse() && isPost(*op->user_begin(), op->getResult(0));
  if (llvm::isa<ReluOp, SiluOp, TanhOp, SigmoidOp, GeluOp>(op))
    return true;
  if (auto cast = llvm::dyn_cast<CastOp>(op)) // of sums that were wider
    return !cast.getSaturate() && value.getDefiningOp<ContractOp>() != nullptr;
  if (llvm::isa<DivOp>(op))
    return op->getOperand(0) == value && numberOf(op->getOperand(1));
  if (!llvm::isa<AddOp, MulOp>(op))
    return false;
  mlir::Value other = op->getOperand(op->getOperand(0) == value ? 1 : 0);
  return llvm::isa<MulOp>(op) || !numberOf(other);
}

} // namespace

KernelForecast::KernelForecast(mlir::func::FuncOp main, const Device &device) {
  for (mlir::Operation &op : main.getBody().front().without_terminator())
    visit(op);
  if (device.fusesAttention)
    fuseAttention(main);
}

void KernelForecast::visit(mlir::Operation &op) {
  auto isOfProduct = [&](mlir::Operation *producer) {
    return producer && (llvm::isa<ContractOp>(producer) || behindProduct.contains(producer));
  };
  for (mlir::Value operand : op.getOperands())
    if (isOfProduct(operand.getDefiningOp()) && inKernel.contains(operand) && !behindProduct.insert(&op).second)
      inKernel.erase(operand); // one product is done with the other's result
  for (mlir::Value result : op.getResults()) {
    bool once = result.hasOneUse() || (isRepeated(&op) && !result.use_empty());
    bool chains = once && startsChain(&op) &&
                  llvm::all_of(result.getUsers(), [&](mlir::Operation *user) { return continuesChain(&op, user); });
    if (!isOfProduct(&op) && chains)
      inKernel.insert(result);
    if (!isOfProduct(&op))
      continue;
    if (result.hasOneUse() && isPost(*result.user_begin(), result))
      inKernel.insert(result);
    else if (chains)
      ends.insert(result);
  }
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

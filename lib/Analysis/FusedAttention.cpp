#include "FusedAttention.h"

#include "dialects/Froe/AttentionParts.h"
#include "dialects/Froe/Constants.h"

namespace froe {

namespace {

LetteredProduct lettered(ContractOp op) {
  auto tensor = [](llvm::StringRef letters, mlir::Value value) {
    return LetteredTensor{letters.str(), llvm::cast<mlir::RankedTensorType>(value.getType())};
  };
  return {tensor(op.getLhsLetters(), op.getLhs()), tensor(op.getRhsLetters(), op.getRhs()),
          tensor(op.getResultLetters(), op.getResult())};
}

/// Half a product stores its f32 sums as: with it the two are one.
mlir::Value rounded(ContractOp contract) {
  mlir::Value result = contract.getResult();
  auto cast = result.hasOneUse() ? llvm::dyn_cast<CastOp>(*result.user_begin()) : CastOp();
  bool toOperands = cast && mlir::getElementTypeOrSelf(cast.getResult().getType()) ==
                                mlir::getElementTypeOrSelf(contract.getLhs().getType());
  return toOperands ? cast.getResult() : result;
}

/// Whether a product's step does `op` to this operand: multiplies it, divides it by a number, or adds a tensor to it.
bool isPost(mlir::Operation *op, unsigned operand) {
  if (llvm::isa<MulOp>(op))
    return true;
  if (!llvm::isa<AddOp, DivOp>(op))
    return false;
  bool byNumber = numberOf(op->getOperand(1 - operand)).has_value();
  return llvm::isa<DivOp>(op) ? byNumber && operand == 0 : !byNumber;
}

/// The product of which posts make `value`; what they make comes behind it in `inner`.
ContractOp productBehind(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &inner) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return {};
  if (auto cast = llvm::dyn_cast<CastOp>(op))
    op = cast.getOperand().getDefiningOp();
  if (auto contract = llvm::dyn_cast_or_null<ContractOp>(op)) {
    if (rounded(contract) != value)
      return {};
    inner.push_back(contract.getResult());
    if (value != contract.getResult())
      inner.push_back(value);
    return contract;
  }
  op = value.getDefiningOp();
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    if (isPost(op, operand))
      if (ContractOp contract = productBehind(op->getOperand(operand), inner)) {
        inner.push_back(value);
        return contract;
      }
  return {};
}

} // namespace

std::optional<FusedAttention> FusedAttention::endingIn(ContractOp values) {
  for (mlir::Value operand : {values.getLhs(), values.getRhs()}) {
    std::optional<Probabilities> probabilities = Probabilities::of(operand);
    if (!probabilities)
      continue;
    FusedAttention found;
    found.values = values;
    found.scores = productBehind(probabilities->softmax.getOperand(), found.inner);
    if (!found.scores)
      continue;
    LetteredProduct first = lettered(found.scores), second = lettered(values);
    first.result.type = llvm::cast<mlir::RankedTensorType>(rounded(found.scores).getType());
    second.result.type = llvm::cast<mlir::RankedTensorType>(rounded(values).getType());
    std::optional<AttentionTensors> tensors = AttentionTensors::of(first, second, operand == values.getLhs());
    if (!tensors || !tensors->fitKernel())
      continue;
    found.inner.push_back(probabilities->softmax.getResult());
    if (probabilities->select)
      found.inner.append({probabilities->isNan.getResult(), probabilities->select.getResult()});
    return found;
  }
  return std::nullopt;
}

} // namespace froe

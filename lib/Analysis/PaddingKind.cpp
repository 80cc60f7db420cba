#include "froe/Analysis/PaddingKind.h"

#include "dialects/Froe/Froe.h"

namespace froe {

std::optional<ReduceKind> paddingKind(mlir::Operation *op, const Rule &rule, unsigned operand, unsigned dim) {
  if (llvm::isa<GatherOp>(op) && operand == 0)
    return std::nullopt; // no index leads there
  for (int index : rule.operands[operand][dim])
    if (rule.factors[index].kind == FactorKind::Reduction)
      return rule.factors[index].reduce;
  if (llvm::isa<GatherOp, GatherNdOp>(op) && operand == 1)
    return ReduceKind::Sum;
  mlir::Type type = llvm::cast<mlir::RankedTensorType>(op->getOperand(operand).getType()).getElementType();
  if (llvm::isa<DivOp, ModOp>(op) && operand == 1 && llvm::isa<mlir::IntegerType>(type))
    return ReduceKind::Product;
  return std::nullopt;
}

} // namespace froe

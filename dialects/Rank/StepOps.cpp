#include "dialects/Rank/Rank.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace froe::rank {

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected a kernel '") << getKernel() << "' in the module";
  // A kernel that has been lowered takes raw buffers; its tensors are then known to the steps only.
  if (auto function = dyn_cast<func::FuncOp>(kernel.getOperation()))
    if (function.getArgumentTypes() != getOperands().getTypes() || function.getResultTypes() != getResults().getTypes())
      return emitOpError("expected the types of kernel '") << getKernel() << "', " << function.getFunctionType();
  return success();
}

LogicalResult MatmulOp::verify() {
  auto [operands, result] = getSubscripts().split("->");
  auto [lhs, rhs] = operands.split(',');
  if (failed(
          verifySubscripts(*this, {lhs, rhs, result}, {getLhs().getType(), getRhs().getType(), getResult().getType()})))
    return failure();
  if (failed(verifyProductType(*this, getLhs().getType(), getResult().getType())))
    return failure();
  auto next = getPostOperands().begin();
  for (auto post : getPosts().getAsRange<PostAttr>()) {
    bool takesOperand = post.getKind() == PostKind::Add || post.getKind() == PostKind::Mul;
    if (takesOperand != static_cast<bool>(post.getLetters()) ||
        (post.getKind() == PostKind::Scale) != static_cast<bool>(post.getValue()))
      return emitOpError("expected letters for add and mul, a value for scale, nothing otherwise; found ") << post;
    if (!takesOperand)
      continue;
    if (next == getPostOperands().end())
      return emitOpError("expected an operand for ") << post;
    auto type = cast<RankedTensorType>((*next++).getType());
    if (type.getElementType() != getResult().getType().getElementType())
      return emitOpError("expected operands of posts of the result's element type, found ") << type;
    StringRef letters = post.getLetters().getValue();
    if (type.getRank() != static_cast<int64_t>(letters.size()))
      return emitOpError("expected ") << type.getRank() << " letters for " << type << ", found " << post;
    for (auto [letter, size] : llvm::zip(letters, type.getShape()))
      if (size_t dim = result.find(letter); dim == StringRef::npos || getResult().getType().getDimSize(dim) != size)
        return emitOpError("letter '") << letter << "' of " << post << " does not fit the result "
                                       << getResult().getType();
  }
  if (next != getPostOperands().end())
    return emitOpError("expected as many operands as posts take");
  return success();
}

LogicalResult ViewOp::verify() {
  if (getOperand().getType().getNumElements() != getResult().getType().getNumElements())
    return emitOpError("expected equally many elements, found ")
           << getOperand().getType() << " and " << getResult().getType();
  return success();
}

} // namespace froe::rank

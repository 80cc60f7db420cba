#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

LogicalResult ReduceOp::verify() {
  RankedTensorType operand = getOperand().getType();
  SmallVector<int64_t> expected;
  for (int64_t dim : getDims())
    if (dim < 0 || dim >= operand.getRank())
      return emitOpError("expected dims below ") << operand.getRank() << ", found " << dim;
  if (!llvm::is_sorted(getDims(), std::less_equal<>()))
    return emitOpError("expected ascending dims, found [") << getDims() << "]";
  for (auto [dim, size] : llvm::enumerate(operand.getShape()))
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(dim)))
      expected.push_back(size);
  if (ArrayRef(expected) != getResult().getType().getShape())
    return emitOpError("expected a result of shape [") << expected << "], found " << getResult().getType();
  return success();
}

LogicalResult SoftmaxOp::verify() {
  RankedTensorType type = getOperand().getType();
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("expected floats, found ") << type;
  if (getDim() < 0 || getDim() >= type.getRank())
    return emitOpError("expected a dim below ") << type.getRank() << ", found " << getDim();
  return success();
}

LogicalResult NormalizeOp::verify() {
  RankedTensorType type = getOperand().getType();
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("expected floats, found ") << type;
  if (getFirst() < 0 || getFirst() >= type.getRank())
    return emitOpError("expected a first dim below ") << type.getRank() << ", found " << getFirst();
  ArrayRef<int64_t> normalized = type.getShape().drop_front(getFirst());
  for (Value parameter : {getScale(), getBias()})
    if (parameter && cast<RankedTensorType>(parameter.getType()).getShape() != normalized)
      return emitOpError("expected scale and bias of shape [") << normalized << "], found " << parameter.getType();
  if (getForm() == NormalizeForm::Rms && getBias())
    return emitOpError("rms normalisation takes no bias");
  return success();
}

} // namespace froe

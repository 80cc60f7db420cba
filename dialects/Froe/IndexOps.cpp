#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

static LogicalResult verifyGather(Operation *op, RankedTensorType indices, ArrayRef<int64_t> expected) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!indices.getElementType().isSignlessInteger(32) && !indices.getElementType().isSignlessInteger(64))
    return op->emitOpError("expected i32 or i64 indices, found ") << indices;
  if (result.getShape() != expected)
    return op->emitOpError("expected a result of shape [") << expected << "], found " << result;
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType operand = getOperand().getType(), indices = getIndices().getType();
  if (getDim() < 0 || getDim() >= operand.getRank())
    return emitOpError("expected a dim below ") << operand.getRank() << ", found " << getDim();
  SmallVector<int64_t> shape(operand.getShape().take_front(getDim()));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, operand.getShape().drop_front(getDim() + 1));
  return verifyGather(*this, indices, shape);
}

LogicalResult GatherNdOp::verify() {
  RankedTensorType operand = getOperand().getType(), indices = getIndices().getType();
  int64_t batch = getBatchDims();
  if (batch < 0 || batch >= indices.getRank() || batch > operand.getRank() ||
      operand.getShape().take_front(batch) != indices.getShape().take_front(batch))
    return emitOpError("expected ") << operand << " and " << indices << " to share " << batch << " batch dims";
  int64_t tuple = indices.getShape().back();
  if (batch + tuple > operand.getRank())
    return emitOpError("expected tuples of at most ") << operand.getRank() - batch << " indices, found " << tuple;
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, operand.getShape().drop_front(batch + tuple));
  return verifyGather(*this, indices, shape);
}

} // namespace froe

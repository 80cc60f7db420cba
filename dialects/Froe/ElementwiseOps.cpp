#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

static LogicalResult verifyBoolean(Operation *op, Value value, StringRef what) {
  if (cast<RankedTensorType>(value.getType()).getElementType().isSignlessInteger(1))
    return success();
  return op->emitOpError("expected boolean ") << what << ", found " << value.getType();
}

LogicalResult CompareOp::verify() { return verifyBoolean(*this, getResult(), "result"); }

LogicalResult IsNanOp::verify() { return verifyBoolean(*this, getResult(), "result"); }

LogicalResult SelectOp::verify() { return verifyBoolean(*this, getCondition(), "condition"); }

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : OpFoldResult();
}

} // namespace froe

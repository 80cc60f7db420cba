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

LogicalResult CastOp::verify() {
  auto from = dyn_cast<FloatType>(getOperand().getType().getElementType());
  auto to = dyn_cast<FloatType>(getResult().getType().getElementType());
  if (getSaturate() && !(from && to && to.getWidth() < from.getWidth()))
    return emitOpError("expected floats that become narrower ones to saturate, found ")
           << getOperand().getType() << " and " << getResult().getType();
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getResult().getType() ? OpFoldResult(getOperand()) : OpFoldResult();
}

} // namespace froe

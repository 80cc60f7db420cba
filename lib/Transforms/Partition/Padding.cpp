#include "Padding.h"

#include "froe/Analysis/PaddingKind.h"

#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

namespace {
APFloat neutralFloat(ReduceKind kind, const llvm::fltSemantics &semantics) {
  switch (kind) {
  case ReduceKind::Max:
    return APFloat::getInf(semantics, /*Negative=*/true);
  case ReduceKind::Min:
    return APFloat::getInf(semantics);
  case ReduceKind::Product:
    return APFloat::getOne(semantics);
  default:
    return APFloat::getZero(semantics);
  }
}

APInt neutralInteger(ReduceKind kind, IntegerType type) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  switch (kind) {
  case ReduceKind::Max:
    return isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  case ReduceKind::Min:
    return isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  case ReduceKind::Product:
    return APInt(width, 1);
  case ReduceKind::And:
    return APInt::getAllOnes(width);
  default:
    return APInt::getZero(width);
  }
}
} // namespace

TypedAttr neutralElement(ReduceKind kind, Type elementType) {
  if (auto type = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(type, neutralFloat(kind, type.getFloatSemantics()));
  return IntegerAttr::get(elementType, neutralInteger(kind, cast<IntegerType>(elementType)));
}

TypedAttr paddingFor(Operation *op, const Rule &rule, unsigned operand, unsigned dim) {
  Type type = cast<RankedTensorType>(op->getOperand(operand).getType()).getElementType();
  std::optional<ReduceKind> kind = paddingKind(op, rule, operand, dim);
  return kind ? neutralElement(*kind, type) : TypedAttr();
}

} // namespace froe

// Values that kernels hold in themselves.
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {

Value lower(ConstantOp op, Elements &elements, Indices indices) {
  Type elementType = elementTypeOf(op.getResult());
  if (op.isSplat()) {
    auto number = cast<DenseElementsAttr>(op.getValue()).getSplatValue<TypedAttr>();
    return scalarConstant(elements.builder, elementType, number);
  }
  Value offset = elements.index.linear(indices, shapeOf(op.getResult()));
  return elements.load(elements.constantMemory(op.getValue()), elementType, offset);
}

Value lower(IotaOp op, Elements &elements, Indices indices) {
  ImplicitLocOpBuilder &builder = elements.builder;
  Type type = scalarType(elementTypeOf(op.getResult()));
  Value index = indices[op.getDim()];
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(builder, type, index);
  return type.isInteger(64) ? index : arith::TruncIOp::create(builder, type, index).getResult();
}

} // namespace froe

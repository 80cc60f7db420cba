// Conversions between element types.
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {
namespace {

bool isBool(Type type) { return type.isInteger(1); }
unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

/// `value`, computed in f32 or wider, rounded to `to`, and back in what `to` is computed in.
Value roundFloat(ImplicitLocOpBuilder &builder, Value value, Type to) {
  Type scalar = scalarType(to);
  if (value.getType().isF64() && scalar.isF32() && !to.isF16()) // for bfloat16 this rounds twice
    value = arith::TruncFOp::create(builder, scalar, value);
  if (widthOf(to) < 32)
    return widenFloat(builder, narrowFloat(builder, value, to), to);
  return value.getType() == scalar ? value : arith::ExtFOp::create(builder, scalar, value).getResult();
}

/// Truncates; what does not fit becomes the nearest number that does, NaN becomes 0.
Value floatToInteger(ImplicitLocOpBuilder &builder, Value value, Type to) {
  bool isUnsigned = to.isUnsignedInteger();
  unsigned width = widthOf(to);
  Type scalar = scalarType(to), from = value.getType();
  APInt low = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt high = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  auto boundary = [&](double exponent, bool negative) {
    double bound = std::ldexp(1.0, int(exponent));
    return arith::ConstantOp::create(builder, builder.getFloatAttr(from, negative ? -bound : bound));
  };
  auto integer = [&](const APInt &bits) {
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(scalar, bits));
  };
  auto when = [&](arith::CmpFPredicate predicate, Value a, Value b, const APInt &then, Value otherwise) -> Value {
    Value condition = arith::CmpFOp::create(builder, predicate, a, b);
    return arith::SelectOp::create(builder, condition, integer(then), otherwise);
  };
  Value zero = arith::ConstantOp::create(builder, builder.getFloatAttr(from, 0.0));
  Value result = isUnsigned ? arith::FPToUIOp::create(builder, scalar, value).getResult()
                            : arith::FPToSIOp::create(builder, scalar, value).getResult();
  result = when(arith::CmpFPredicate::OGE, value, boundary(isUnsigned ? width : width - 1, false), high, result);
  result = isUnsigned ? when(arith::CmpFPredicate::OLE, value, zero, low, result)
                      : when(arith::CmpFPredicate::OLT, value, boundary(width - 1, true), low, result);
  return when(arith::CmpFPredicate::UNO, value, value, APInt(width, 0), result);
}

Value integerToFloat(ImplicitLocOpBuilder &builder, Value value, Type from, Type to) {
  Type scalar = scalarType(to);
  Value number = from.isUnsignedInteger() || isBool(from) ? arith::UIToFPOp::create(builder, scalar, value).getResult()
                                                          : arith::SIToFPOp::create(builder, scalar, value);
  return roundFloat(builder, number, to);
}

Value integerToInteger(ImplicitLocOpBuilder &builder, Value value, Type from, Type to) {
  Type scalar = scalarType(to);
  if (widthOf(from) == widthOf(to))
    return value;
  if (widthOf(from) > widthOf(to))
    return arith::TruncIOp::create(builder, scalar, value);
  if (from.isUnsignedInteger() || isBool(from))
    return arith::ExtUIOp::create(builder, scalar, value);
  return arith::ExtSIOp::create(builder, scalar, value);
}

Value toBool(ImplicitLocOpBuilder &builder, Value value, Type from) {
  Value zero = scalarConstant(builder, from, 0.0);
  if (isa<FloatType>(from))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, value, zero);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value, zero);
}

} // namespace

Value narrowFloat(ImplicitLocOpBuilder &builder, Value value, Type to) {
  if (!to.isBF16())
    return arith::TruncFOp::create(builder, to, value);
  auto constant = [&](int32_t number) { return arith::ConstantIntOp::create(builder, number, 32); };
  Value bits = arith::BitcastOp::create(builder, builder.getI32Type(), value);
  Value high = arith::ShRUIOp::create(builder, bits, constant(16));
  Value isOdd = arith::AndIOp::create(builder, high, constant(1));
  Value halfway = arith::AddIOp::create(builder, isOdd, constant(0x7fff)); // halves to even
  Value rounded = arith::ShRUIOp::create(builder, arith::AddIOp::create(builder, bits, halfway), constant(16));
  Value isNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  Value quiet = arith::OrIOp::create(builder, high, constant(0x40));
  Value chosen = arith::SelectOp::create(builder, isNan, quiet, rounded);
  return arith::TruncIOp::create(builder, builder.getI16Type(), chosen);
}

Value widenFloat(ImplicitLocOpBuilder &builder, Value stored, Type from) {
  if (!from.isBF16())
    return arith::ExtFOp::create(builder, builder.getF32Type(), stored);
  Value bits = arith::ExtUIOp::create(builder, builder.getI32Type(), stored);
  Value high = arith::ShLIOp::create(builder, bits, arith::ConstantIntOp::create(builder, 16, 32));
  return arith::BitcastOp::create(builder, builder.getF32Type(), high);
}

/// `value` is computed in scalarType(from); the result in scalarType(to).
Value castScalar(ImplicitLocOpBuilder &builder, Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (isBool(to))
    return toBool(builder, value, from);
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? roundFloat(builder, value, to) : floatToInteger(builder, value, to);
  return isa<FloatType>(to) ? integerToFloat(builder, value, from, to) : integerToInteger(builder, value, from, to);
}

} // namespace froe

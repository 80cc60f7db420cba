// How reductions combine two elements.
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {
namespace {

/// A reduction may add its terms in any order; that is what lets its loop be vectorised.
constexpr auto kAnyOrder = arith::FastMathFlags::reassoc;
/// The sign of a zero maximum is unspecified.
constexpr auto kAnyZero = arith::FastMathFlags::nsz;

Value combineFloats(ImplicitLocOpBuilder &builder, Reduction kind, Value a, Value b) {
  switch (kind) {
  case Reduction::Sum:
    return arith::AddFOp::create(builder, a, b, kAnyOrder);
  case Reduction::Product:
    return arith::MulFOp::create(builder, a, b, kAnyOrder);
  case Reduction::Max:
    return arith::MaximumFOp::create(builder, a, b, kAnyZero);
  default:
    return arith::MinimumFOp::create(builder, a, b, kAnyZero);
  }
}

Value combineIntegers(ImplicitLocOpBuilder &builder, Reduction kind, bool isUnsigned, Value a, Value b) {
  switch (kind) {
  case Reduction::Sum:
    return arith::AddIOp::create(builder, a, b);
  case Reduction::Product:
    return arith::MulIOp::create(builder, a, b);
  case Reduction::Max:
    return isUnsigned ? arith::MaxUIOp::create(builder, a, b).getResult() : arith::MaxSIOp::create(builder, a, b);
  case Reduction::Min:
    return isUnsigned ? arith::MinUIOp::create(builder, a, b).getResult() : arith::MinSIOp::create(builder, a, b);
  case Reduction::And:
    return arith::AndIOp::create(builder, a, b);
  case Reduction::Or:
    return arith::OrIOp::create(builder, a, b);
  }
  llvm_unreachable("a new kind of reduction");
}

/// Booleans: the sum is or, the product is and.
Reduction onBooleans(Reduction kind) {
  bool isOr = kind == Reduction::Sum || kind == Reduction::Max || kind == Reduction::Or;
  return isOr ? Reduction::Or : Reduction::And;
}

} // namespace

Value combine(ImplicitLocOpBuilder &builder, Reduction kind, Type elementType, Value accumulated, Value element) {
  if (isa<FloatType>(elementType))
    return combineFloats(builder, kind, accumulated, element);
  if (elementType.isInteger(1))
    kind = onBooleans(kind);
  return combineIntegers(builder, kind, elementType.isUnsignedInteger(), accumulated, element);
}

Value neutralElement(ImplicitLocOpBuilder &builder, Reduction kind, Type elementType) {
  Type scalar = scalarType(elementType);
  if (isa<FloatType>(elementType)) {
    double infinity = std::numeric_limits<double>::infinity();
    double neutral = kind == Reduction::Sum ? 0 : kind == Reduction::Product ? 1 : infinity;
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(scalar, kind == Reduction::Max ? -infinity : neutral));
  }
  unsigned width = scalar.getIntOrFloatBitWidth();
  bool isUnsigned = elementType.isUnsignedInteger();
  if (width == 1)
    kind = onBooleans(kind);
  APInt neutral(width, 0); // Sum, Or
  if (kind == Reduction::Product)
    neutral = APInt(width, 1);
  else if (kind == Reduction::And)
    neutral = APInt::getAllOnes(width);
  else if (kind == Reduction::Max)
    neutral = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  else if (kind == Reduction::Min)
    neutral = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(builder, builder.getIntegerAttr(scalar, neutral));
}

} // namespace froe

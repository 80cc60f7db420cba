// Ops that work element by element. Where one scalar op says it all, the op's TableGen record names it.
#include "dialects/Froe/Constants.h"
#include "lib/Conversion/FroeToElements/Lower.h"
#include "runtime/include/froe_rt.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace froe {
namespace {

/// Builds scalar code; the element types say whether integers are signed.
struct Scalar {
  ImplicitLocOpBuilder &builder;
  Elements &elements;
  Type type; ///< element type of the first operand

  bool isFloat() const { return isa<FloatType>(type); }
  bool isUnsigned() const { return type.isUnsignedInteger() || type.isInteger(1); }
  Value constant(double value) const { return scalarConstant(builder, type, value); }
  Value add(Value a, Value b) const { return arith::AddFOp::create(builder, a, b); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, a, b); }
  Value select(Value condition, Value a, Value b) const { return arith::SelectOp::create(builder, condition, a, b); }
  Value less(Value a, Value b) const {
    if (isFloat())
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, a, b);
    auto predicate = isUnsigned() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(builder, predicate, a, b);
  }
  Value equalInteger(Value a, Value b) const { return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, a, b); }
};

Value scalar(NegOp, Scalar s, ValueRange x) { return arith::SubIOp::create(s.builder, s.constant(0), x[0]); }

Value scalar(ReciprocalOp, Scalar s, ValueRange x) { return arith::DivFOp::create(s.builder, s.constant(1), x[0]); }

Value scalar(SignOp, Scalar s, ValueRange x) {
  Value zero = s.constant(0);
  Value negative = s.isUnsigned() ? x[0] : s.select(s.less(x[0], zero), s.constant(-1), x[0]); // keeps NaN and 0
  return s.select(s.less(zero, x[0]), s.constant(1), negative);
}

/// 1 + exp(-x)
Value onePlusExpMinus(Scalar s, Value x) {
  Value exponential = math::ExpOp::create(s.builder, arith::NegFOp::create(s.builder, x));
  return s.add(s.constant(1), exponential);
}
Value scalar(SigmoidOp, Scalar s, ValueRange x) {
  return arith::DivFOp::create(s.builder, s.constant(1), onePlusExpMinus(s, x[0]));
}
Value scalar(SiluOp, Scalar s, ValueRange x) {
  return arith::DivFOp::create(s.builder, x[0], onePlusExpMinus(s, x[0]));
}

Value scalar(ReluOp, Scalar s, ValueRange x) { return s.select(s.less(x[0], s.constant(0)), s.constant(0), x[0]); }

Value scalar(NotOp, Scalar s, ValueRange x) {
  Value ones = arith::ConstantOp::create(s.builder, s.builder.getIntegerAttr(x[0].getType(), -1));
  return arith::XOrIOp::create(s.builder, x[0], ones);
}

Value scalar(GeluOp op, Scalar s, ValueRange x) {
  Value inner;
  if (op.getForm() == GeluForm::Erf) {
    inner = math::ErfOp::create(s.builder, s.mul(x[0], s.constant(0.70710678118654752440)));
  } else {
    Value cubic = s.mul(s.constant(0.044715), s.mul(x[0], s.mul(x[0], x[0])));
    inner = math::TanhOp::create(s.builder, s.mul(s.constant(0.79788456080286535588), s.add(x[0], cubic)));
  }
  return s.mul(s.mul(s.constant(0.5), x[0]), s.add(s.constant(1), inner));
}

/// Integer division that cannot trap: by zero raises a fault, by -1 (which overflows once) is a negation.
Value safeDivisor(Scalar s, Value divisor) {
  Value isZero = s.equalInteger(divisor, s.constant(0));
  s.elements.raiseIf(isZero, FROE_FAULT_DIVISION);
  Value unsafe = isZero;
  if (!s.isUnsigned())
    unsafe = arith::OrIOp::create(s.builder, isZero, s.equalInteger(divisor, s.constant(-1)));
  return s.select(unsafe, scalarConstant(s.builder, s.type, 1.0), divisor);
}
Value scalar(DivOp, Scalar s, ValueRange x) {
  Value divisor = safeDivisor(s, x[1]);
  if (s.isUnsigned())
    return arith::DivUIOp::create(s.builder, x[0], divisor);
  Value quotient = arith::DivSIOp::create(s.builder, x[0], divisor);
  Value negative = arith::SubIOp::create(s.builder, s.constant(0), x[0]);
  return s.select(s.equalInteger(x[1], s.constant(-1)), negative, quotient);
}
Value scalar(ModOp, Scalar s, ValueRange x) {
  Value divisor = safeDivisor(s, x[1]); // 1 in place of -1: the remainder is 0 as well
  if (s.isUnsigned())
    return arith::RemUIOp::create(s.builder, x[0], divisor);
  Value remainder = arith::RemSIOp::create(s.builder, x[0], divisor), zero = s.constant(0);
  Value signsDiffer = s.less(arith::XOrIOp::create(s.builder, remainder, divisor), zero);
  Value isWhole = s.equalInteger(remainder, zero);
  Value moved = arith::AddIOp::create(s.builder, remainder, divisor);
  return s.select(isWhole, remainder, s.select(signsDiffer, moved, remainder));
}

/// Powers that are a few multiplications.
Value constantPower(Scalar s, Value x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return s.mul(x, x);
  if (exponent == 3)
    return s.mul(s.mul(x, x), x);
  if (exponent == -1)
    return arith::DivFOp::create(s.builder, s.constant(1), x);
  return {};
}

Value scalar(PowOp op, Scalar s, ValueRange x) {
  if (std::optional<APFloat> exponent = numberOf(op.getRhs()); exponent && s.isFloat())
    if (Value power = constantPower(s, x[0], exponent->convertToDouble()))
      return power;
  Type f64 = s.builder.getF64Type();
  Value base = castScalar(s.builder, x[0], s.type, f64), exponent = castScalar(s.builder, x[1], s.type, f64);
  return castScalar(s.builder, math::PowFOp::create(s.builder, base, exponent), f64, s.type);
}

Value scalar(MaxOp, Scalar s, ValueRange x) { return combine(s.builder, Reduction::Max, s.type, x[0], x[1]); }
Value scalar(MinOp, Scalar s, ValueRange x) { return combine(s.builder, Reduction::Min, s.type, x[0], x[1]); }

Value scalar(CompareOp op, Scalar s, ValueRange x) {
  switch (op.getRelation()) {
  case Comparison::Equal:
    return s.isFloat() ? arith::CmpFOp::create(s.builder, arith::CmpFPredicate::OEQ, x[0], x[1]).getResult()
                       : s.equalInteger(x[0], x[1]);
  case Comparison::Less:
    return s.less(x[0], x[1]);
  case Comparison::Greater:
    return s.less(x[1], x[0]);
  case Comparison::LessOrEqual:
  case Comparison::GreaterOrEqual:
    break;
  }
  bool isLess = op.getRelation() == Comparison::LessOrEqual;
  Value a = isLess ? x[0] : x[1], b = isLess ? x[1] : x[0];
  if (s.isFloat())
    return arith::CmpFOp::create(s.builder, arith::CmpFPredicate::OLE, a, b);
  auto predicate = s.isUnsigned() ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  return arith::CmpIOp::create(s.builder, predicate, a, b);
}

Value scalar(IsNanOp, Scalar s, ValueRange x) {
  if (!s.isFloat())
    return arith::ConstantIntOp::create(s.builder, 0, 1);
  return arith::CmpFOp::create(s.builder, arith::CmpFPredicate::UNO, x[0], x[0]);
}

Value scalar(SelectOp, Scalar s, ValueRange x) { return s.select(x[0], x[1], x[2]); }

/// Finite numbers beyond the range of `to` become its largest; infinities and NaN stay.
Value saturated(Scalar s, Value x, FloatType to) {
  double largest = APFloat::getLargest(to.getFloatSemantics()).convertToDouble();
  Value above = arith::MaximumFOp::create(s.builder, x, s.constant(-largest));
  Value within = arith::MinimumFOp::create(s.builder, above, s.constant(largest));
  Value infinity = s.constant(std::numeric_limits<double>::infinity());
  Value isInfinite =
      arith::CmpFOp::create(s.builder, arith::CmpFPredicate::OEQ, math::AbsFOp::create(s.builder, x), infinity);
  return s.select(isInfinite, x, within);
}

Value scalar(CastOp op, Scalar s, ValueRange x) {
  Type to = elementTypeOf(op.getResult());
  Value value = op.getSaturate() ? saturated(s, x[0], cast<FloatType>(to)) : x[0];
  return castScalar(s.builder, value, s.type, to);
}

/// Integer forms of ops whose float form is one scalar op.
Value scalar(AbsOp, Scalar s, ValueRange x) { return x[0]; } // of unsigned integers

template <typename Op> Value lowerOne(Op op, Scalar s, ValueRange x) {
  using Float = typename Op::FloatScalar;
  using Integer = typename Op::IntegerScalar;
  constexpr bool isWritten = requires { scalar(op, s, x); };
  static_assert(isWritten || !std::is_void_v<Float> || !std::is_void_v<Integer>,
                "an elementwise op needs a scalar form: an overload above, or an op that its record names");
  if constexpr (!std::is_void_v<Float>)
    if (s.isFloat() && !std::is_same_v<Op, PowOp>)
      return Float::create(s.builder, x[0].getType(), x);
  if constexpr (!std::is_void_v<Integer>) {
    bool isPlain = !s.isFloat() && !(std::is_same_v<Op, AbsOp> && s.isUnsigned());
    if (isPlain)
      return Integer::create(s.builder, x[0].getType(), x);
  }
  if constexpr (isWritten)
    return scalar(op, s, x);
  else
    llvm_unreachable("the op's verifier admits other element types only");
}

} // namespace

Value lowerScalar(Operation *op, ImplicitLocOpBuilder &builder, Elements &elements, ValueRange operands) {
  Scalar s{builder, elements, elementTypeOf(op->getOperand(0))};
  Value result;
  auto tryOps = [&]<typename... Ops>(std::tuple<Ops...> *) {
    auto tryOne = [&]<typename Op>(Op *) {
      if constexpr (requires { typename Op::FloatScalar; })
        if (auto typed = dyn_cast<Op>(op))
          result = lowerOne(typed, s, operands);
    };
    (tryOne(static_cast<Ops *>(nullptr)), ...);
  };
  using AllOps = std::tuple<
#define GET_OP_LIST
#include "dialects/Froe/FroeOps.cpp.inc"
      >;
  tryOps(static_cast<AllOps *>(nullptr));
  return result;
}

} // namespace froe

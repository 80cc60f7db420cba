#include "ElementTypes.h"
#include "Emitter.h"
#include "Failure.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

static void requireEqualTypes(const Tensor &a, const Tensor &b) {
  if (a->elementType() != b->elementType())
    throw Invalid(fmt::format("its operands have different element types, {} and {}", spell(a->elementType()),
                              spell(b->elementType())));
}

template <typename Op> Tensor Emitter::unary(Tensor x, double (*real)(double), int64_t (*integer)(int64_t)) {
  if (!x->isFloat() && !integer)
    throw Invalid(fmt::format("its operand has element type {}, expected a float", spell(x->elementType())));
  auto rule = [&](llvm::ArrayRef<Scalar> s) {
    return x->isFloat() ? realScalar(real(s[0].real)) : integerScalar(integer(s[0].integer));
  };
  if (Tensor folded = fold({x}, x->elementType(), rule))
    return folded;
  return wrap(Op::create(builder, location, x->type, value(x)));
}

template <typename Op>
Tensor Emitter::binary(Tensor a, Tensor b, double (*real)(double, double), int64_t (*integer)(int64_t, int64_t)) {
  requireEqualTypes(a, b);
  if (a->isFloat() ? !real : !integer)
    throw Invalid(
        fmt::format("its operands have element type {}, which it is not defined for", spell(a->elementType())));
  Sizes shape = broadcastShape(a->shape(), b->shape());
  a = expand(a, shape);
  b = expand(b, shape);
  auto rule = [&](llvm::ArrayRef<Scalar> s) {
    return a->isFloat() ? realScalar(real(s[0].real, s[1].real)) : integerScalar(integer(s[0].integer, s[1].integer));
  };
  if (Tensor folded = fold({a, b}, a->elementType(), rule))
    return folded;
  return wrap(Op::create(builder, location, a->type, value(a), value(b)));
}

// Integers wrap around; C++ leaves that undefined for signed ones.
static int64_t wrappingAdd(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) + uint64_t(b)); }
static int64_t wrappingSub(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) - uint64_t(b)); }
static int64_t wrappingMul(int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) * uint64_t(b)); }
static int64_t quotient(int64_t a, int64_t b) {
  if (b == 0)
    throw Invalid("an integer is divided by zero");
  return b == -1 ? wrappingSub(0, a) : a / b;
}
static int64_t remainderOfDivisor(int64_t a, int64_t b) {
  int64_t rest = b == -1 ? 0 : a - quotient(a, b) * b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; exponent; exponent /= 2, base = wrappingMul(base, base))
    if (exponent % 2)
      result = wrappingMul(result, base);
  return result;
}
static double nanMax(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
static double nanMin(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

Tensor Emitter::add(Tensor a, Tensor b) {
  return binary<AddOp>(a, b, [](double x, double y) { return x + y; }, wrappingAdd);
}
Tensor Emitter::sub(Tensor a, Tensor b) {
  return binary<SubOp>(a, b, [](double x, double y) { return x - y; }, wrappingSub);
}
Tensor Emitter::mul(Tensor a, Tensor b) {
  return binary<MulOp>(a, b, [](double x, double y) { return x * y; }, wrappingMul);
}
Tensor Emitter::div(Tensor a, Tensor b) {
  return binary<DivOp>(a, b, [](double x, double y) { return x / y; }, quotient);
}
Tensor Emitter::mod(Tensor a, Tensor b) {
  return binary<ModOp>(a, b, [](double x, double y) { return std::fmod(x, y); }, remainderOfDivisor);
}
Tensor Emitter::pow(Tensor a, Tensor b) {
  return binary<PowOp>(a, b, [](double x, double y) { return std::pow(x, y); }, integerPower);
}
Tensor Emitter::max(Tensor a, Tensor b) {
  return binary<MaxOp>(a, b, nanMax, [](int64_t x, int64_t y) { return std::max(x, y); });
}
Tensor Emitter::min(Tensor a, Tensor b) {
  return binary<MinOp>(a, b, nanMin, [](int64_t x, int64_t y) { return std::min(x, y); });
}
/// Whether every element of boolean `x` is known to be `value`.
static bool isEverywhere(const Tensor &x, int64_t value) {
  if (!x->isBoolean() || !x->constant || x->constant->inParts())
    return false;
  Constant distinct = x->constant->compact();
  return distinct.count() == 1 && distinct.flatten()[0].integer == value;
}

Tensor Emitter::logicalAnd(Tensor a, Tensor b) {
  if (isEverywhere(a, 1) && b->isBoolean()) // nothing but true
    return expand(b, broadcastShape(a->shape(), b->shape()));
  if (isEverywhere(b, 1) && a->isBoolean())
    return expand(a, broadcastShape(a->shape(), b->shape()));
  return binary<AndOp>(a, b, nullptr, [](int64_t x, int64_t y) { return x & y; });
}
Tensor Emitter::logicalOr(Tensor a, Tensor b) {
  return binary<OrOp>(a, b, nullptr, [](int64_t x, int64_t y) { return x | y; });
}
Tensor Emitter::logicalXor(Tensor a, Tensor b) {
  return binary<XorOp>(a, b, nullptr, [](int64_t x, int64_t y) { return x ^ y; });
}
Tensor Emitter::logicalNot(Tensor x) {
  if (!x->isBoolean())
    throw Invalid(fmt::format("its operand has element type {}, expected i1", spell(x->elementType())));
  return unary<NotOp>(x, nullptr, [](int64_t v) { return v ^ 1; });
}

static double signOf(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }

Tensor Emitter::abs(Tensor x) {
  return unary<AbsOp>(x, std::fabs, [](int64_t v) { return v < 0 ? wrappingSub(0, v) : v; });
}
Tensor Emitter::neg(Tensor x) {
  return unary<NegOp>(x, [](double v) { return -v; }, [](int64_t v) { return wrappingSub(0, v); });
}
Tensor Emitter::exp(Tensor x) { return unary<ExpOp>(x, std::exp); }
Tensor Emitter::log(Tensor x) { return unary<LogOp>(x, std::log); }
Tensor Emitter::sqrt(Tensor x) { return unary<SqrtOp>(x, std::sqrt); }
Tensor Emitter::reciprocal(Tensor x) {
  return unary<ReciprocalOp>(x, [](double v) { return 1 / v; });
}
Tensor Emitter::sin(Tensor x) { return unary<SinOp>(x, std::sin); }
Tensor Emitter::cos(Tensor x) { return unary<CosOp>(x, std::cos); }
Tensor Emitter::tanh(Tensor x) { return unary<TanhOp>(x, std::tanh); }
Tensor Emitter::erf(Tensor x) { return unary<ErfOp>(x, std::erf); }
Tensor Emitter::floor(Tensor x) { return unary<FloorOp>(x, std::floor); }
Tensor Emitter::ceil(Tensor x) { return unary<CeilOp>(x, std::ceil); }
Tensor Emitter::round(Tensor x) { return unary<RoundOp>(x, std::nearbyint); }
Tensor Emitter::sign(Tensor x) {
  return unary<SignOp>(x, signOf, [](int64_t v) { return int64_t((v > 0) - (v < 0)); });
}
Tensor Emitter::sigmoid(Tensor x) {
  return unary<SigmoidOp>(x, [](double v) { return 1 / (1 + std::exp(-v)); });
}
Tensor Emitter::silu(Tensor x) {
  return unary<SiluOp>(x, [](double v) { return v / (1 + std::exp(-v)); });
}
Tensor Emitter::relu(Tensor x) {
  return unary<ReluOp>(x, [](double v) { return v < 0 ? 0 : v; }, [](int64_t v) { return std::max<int64_t>(v, 0); });
}

Tensor Emitter::gelu(GeluForm form, Tensor x) {
  if (!x->isFloat())
    throw Invalid(fmt::format("its operand has element type {}, expected a float", spell(x->elementType())));
  return wrap(GeluOp::create(builder, location, x->type, form, value(x)));
}

template <typename Number> static bool holds(Comparison relation, Number a, Number b) {
  switch (relation) {
  case Comparison::Equal:
    return a == b;
  case Comparison::Less:
    return a < b;
  case Comparison::LessOrEqual:
    return a <= b;
  case Comparison::Greater:
    return a > b;
  case Comparison::GreaterOrEqual:
    return a >= b;
  }
  llvm_unreachable("all relations are listed");
}

Tensor Emitter::compare(Comparison relation, Tensor a, Tensor b) {
  requireEqualTypes(a, b);
  Sizes shape = broadcastShape(a->shape(), b->shape());
  a = expand(a, shape);
  b = expand(b, shape);
  Type boolean = builder.getI1Type();
  auto rule = [&](llvm::ArrayRef<Scalar> s) {
    return integerScalar(a->isFloat() ? holds(relation, s[0].real, s[1].real)
                                      : holds(relation, s[0].integer, s[1].integer));
  };
  if (Tensor folded = fold({a, b}, boolean, rule))
    return folded;
  return wrap(
      CompareOp::create(builder, location, RankedTensorType::get(shape, boolean), relation, value(a), value(b)));
}

Tensor Emitter::select(Tensor condition, Tensor a, Tensor b) {
  requireEqualTypes(a, b);
  if (!condition->isBoolean())
    throw Invalid(fmt::format("its condition has element type {}, expected i1", spell(condition->elementType())));
  Sizes shape = broadcastShape(condition->shape(), broadcastShape(a->shape(), b->shape()));
  // One branch is chosen everywhere: no need to know the other.
  if (condition->constant && condition->constant->compact().count() == 1 && !condition->constant->inParts() &&
      elementCount(shape) > 0)
    return expand(condition->constant->compact().flatten()[0].integer ? a : b, shape);
  condition = expand(condition, shape);
  a = expand(a, shape);
  b = expand(b, shape);
  if (Tensor folded = fold({condition, a, b}, a->elementType(),
                           [](llvm::ArrayRef<Scalar> s) { return s[0].integer ? s[1] : s[2]; }))
    return folded;
  return wrap(SelectOp::create(builder, location, a->type, value(condition), value(a), value(b)));
}

static int64_t truncated(double x) {
  constexpr double limit = 9223372036854775808.0;
  return std::isnan(x) ? 0 : x >= limit ? INT64_MAX : x <= -limit ? INT64_MIN : static_cast<int64_t>(x);
}

static Scalar convert(Scalar x, bool fromFloat, Type to) {
  if (to.isInteger(1))
    return integerScalar(fromFloat ? x.real != 0 : x.integer != 0);
  if (isa<FloatType>(to))
    return realScalar(fromFloat ? x.real : static_cast<double>(x.integer));
  return integerScalar(fromFloat ? truncated(x.real) : x.integer);
}

Tensor Emitter::cast(Tensor x, Type elementType) {
  if (x->elementType() == elementType)
    return x;
  if (Tensor folded =
          fold({x}, elementType, [&](llvm::ArrayRef<Scalar> s) { return convert(s[0], x->isFloat(), elementType); }))
    return folded;
  return wrap(CastOp::create(builder, location, RankedTensorType::get(x->shape(), elementType), value(x)));
}

Tensor Emitter::isNan(Tensor x) {
  Type boolean = builder.getI1Type();
  if (!x->isFloat())
    return known(Constant::splat(boolean, x->shape(), integerScalar(0)));
  if (Tensor folded = fold({x}, boolean, [](llvm::ArrayRef<Scalar> s) { return integerScalar(std::isnan(s[0].real)); }))
    return folded;
  return wrap(IsNanOp::create(builder, location, RankedTensorType::get(x->shape(), boolean), value(x)));
}

} // namespace froe::importing

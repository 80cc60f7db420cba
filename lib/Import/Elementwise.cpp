#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

template <Tensor (Emitter::*emitOp)(Tensor)> Tensors unary(Node &node) {
  return {(node.emit.*emitOp)(node.operand(0))};
}

template <Tensor (Emitter::*emitOp)(Tensor, Tensor)> Tensors binary(Node &node) {
  return {(node.emit.*emitOp)(node.operand(0), node.operand(1))};
}

/// Max, Min, Sum: any number of operands.
template <Tensor (Emitter::*emitOp)(Tensor, Tensor)> Tensors variadic(Node &node) {
  Tensor result = node.operand(0);
  for (int number = 1; number < int(node.allOperands().size()); ++number)
    result = (node.emit.*emitOp)(result, node.operand(number));
  return {result};
}

template <Comparison relation> Tensors comparison(Node &node) {
  return {node.emit.compare(relation, node.operand(0), node.operand(1))};
}

Tensors meanOfOperands(Node &node) {
  Tensor sum = variadic<&Emitter::add>(node).front();
  return {node.emit.mul(sum, node.emit.scalarLike(sum, 1.0 / node.allOperands().size()))};
}

/// The exponent may have another type than the base; the result has the base's.
Tensors power(Node &node) {
  Tensor base = node.operand(0), exponent = node.operand(1);
  if (!base->isFloat() && exponent->isFloat())
    return {
        node.emit.cast(node.emit.pow(node.emit.cast(base, exponent->elementType()), exponent), base->elementType())};
  return {node.emit.pow(base, node.emit.cast(exponent, base->elementType()))};
}

/// The remainder of floats with the sign of the divisor, which is of opset 28.
Tensor floorModulo(Emitter &emit, Tensor a, Tensor b) {
  Tensor rest = emit.mod(a, b), zero = emit.scalarLike(rest, 0);
  auto isNegative = [&](Tensor x) { return emit.compare(Comparison::Less, x, zero); };
  Tensor differs = emit.logicalXor(isNegative(rest), isNegative(b));
  Tensor isNone = emit.compare(Comparison::Equal, rest, zero);
  return emit.select(emit.logicalAnd(differs, emit.logicalNot(isNone)), emit.add(rest, b), rest);
}

Tensors modulo(Node &node) {
  Emitter &emit = node.emit;
  Tensor a = node.operand(0), b = node.operand(1);
  bool likeC = node.integer("fmod", 0);
  if (a->isFloat() && !likeC) {
    if (node.opset < 28)
      throw Invalid("floats need fmod=1");
    return {floorModulo(emit, a, b)};
  }
  if (!a->isFloat() && likeC) // the sign of the dividend: a - trunc(a / b) * b
    return {emit.sub(a, emit.mul(emit.div(a, b), b))};
  return {emit.mod(a, b)};
}

Tensors cast(Node &node) {
  Type type = elementType(*node.emit.context(), node.integer("to"));
  return {node.emit.cast(node.operand(0), type)};
}

Tensors castLike(Node &node) { return {node.emit.cast(node.operand(0), node.operand(1)->elementType())}; }

Tensors where(Node &node) { return {node.emit.select(node.operand(0), node.operand(1), node.operand(2))}; }

Tensors isInfinite(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0), infinity = emit.scalarLike(x, std::numeric_limits<double>::infinity());
  Tensor never = emit.known(Constant::splat(emit.builder.getI1Type(), x->shape(), integerScalar(0)));
  Tensor high = node.integer("detect_positive", 1) ? emit.compare(Comparison::Equal, x, infinity) : never;
  Tensor low = node.integer("detect_negative", 1) ? emit.compare(Comparison::Equal, x, emit.neg(infinity)) : never;
  return {emit.logicalOr(high, low)};
}

/// Limits of shape [] or [1], either of them left out.
Tensors clip(Node &node) {
  Tensor x = node.operand(0);
  for (int number : {1, 2})
    if (Tensor limit = node.optional(number)) {
      limit = node.emit.reshape(limit, {});
      x = number == 1 ? node.emit.max(x, limit) : node.emit.min(x, limit);
    }
  return {x};
}

Tensors geluOf(Node &node) {
  std::string form = node.text("approximate", "none");
  if (form != "none" && form != "tanh")
    throw Invalid(fmt::format("attribute 'approximate' is '{}', expected 'none' or 'tanh'", form));
  return {node.emit.gelu(form == "tanh" ? GeluForm::Tanh : GeluForm::Erf, node.operand(0))};
}

/// x * sigmoid(alpha x)
Tensors swish(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  double alpha = node.real("alpha", 1);
  return {alpha == 1 ? emit.silu(x) : emit.mul(x, emit.sigmoid(emit.mul(x, emit.scalarLike(x, alpha))))};
}

Tensor hardSigmoidOf(Emitter &emit, Tensor x, double alpha, double beta) {
  Tensor line = emit.add(emit.mul(x, emit.scalarLike(x, alpha)), emit.scalarLike(x, beta));
  return emit.max(emit.min(line, emit.scalarLike(x, 1)), emit.scalarLike(x, 0));
}

Tensors hardSigmoid(Node &node) {
  return {hardSigmoidOf(node.emit, node.operand(0), node.real("alpha", 0.2f), node.real("beta", 0.5))};
}

Tensors hardSwish(Node &node) {
  return {node.emit.mul(node.operand(0), hardSigmoidOf(node.emit, node.operand(0), 1.0 / 6, 0.5))};
}

/// x where it is positive, else `negative`.
Tensor byPositive(Emitter &emit, Tensor x, Tensor negative) {
  return emit.select(emit.compare(Comparison::Greater, x, emit.scalarLike(x, 0)), x, negative);
}

Tensors leakyRelu(Node &node) {
  Tensor x = node.operand(0);
  return {byPositive(node.emit, x, node.emit.mul(x, node.emit.scalarLike(x, node.real("alpha", 0.01f))))};
}

Tensors parametricRelu(Node &node) {
  return {byPositive(node.emit, node.operand(0), node.emit.mul(node.operand(0), node.operand(1)))};
}

/// alpha * (exp(x) - 1) below zero
Tensor eluOf(Emitter &emit, Tensor x, double alpha) {
  Tensor below = emit.sub(emit.exp(emit.min(x, emit.scalarLike(x, 0))), emit.scalarLike(x, 1));
  return byPositive(emit, x, emit.mul(below, emit.scalarLike(x, alpha)));
}

Tensors elu(Node &node) { return {eluOf(node.emit, node.operand(0), node.real("alpha", 1))}; }

Tensors selu(Node &node) {
  Tensor inner = eluOf(node.emit, node.operand(0), node.real("alpha", 1.67326319217681884765625));
  return {node.emit.mul(inner, node.emit.scalarLike(inner, node.real("gamma", 1.05070102214813232421875)))};
}

/// log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
Tensor softplusOf(Emitter &emit, Tensor x) {
  Tensor tail = emit.log(emit.add(emit.exp(emit.neg(emit.abs(x))), emit.scalarLike(x, 1)));
  return emit.add(emit.relu(x), tail);
}

Tensors softplus(Node &node) { return {softplusOf(node.emit, node.operand(0))}; }
Tensors mish(Node &node) {
  return {node.emit.mul(node.operand(0), node.emit.tanh(softplusOf(node.emit, node.operand(0))))};
}

Tensors softsign(Node &node) {
  Tensor x = node.operand(0);
  return {node.emit.div(x, node.emit.add(node.emit.abs(x), node.emit.scalarLike(x, 1)))};
}

Tensors tangent(Node &node) { return {node.emit.div(node.emit.sin(node.operand(0)), node.emit.cos(node.operand(0)))}; }

/// Integers have no fraction.
template <Tensor (Emitter::*emitOp)(Tensor)> Tensors rounding(Node &node) {
  return {node.operand(0)->isFloat() ? (node.emit.*emitOp)(node.operand(0)) : node.operand(0)};
}

Tensors identity(Node &node) { return {node.operand(0)}; }

Tensors dropout(Node &node) {
  if (Tensor training = node.optional(2))
    if (node.knownOperand(2, "training_mode").compact().flatten()[0].integer)
      throw Unsupported("dropout in training mode draws random numbers");
  Tensor x = node.operand(0);
  return {x, node.emit.known(Constant::splat(node.emit.builder.getI1Type(), x->shape(), integerScalar(1)))};
}

constexpr Operator table[] = {
    {"Abs", 11, Types::Number, unary<&Emitter::abs>},
    {"Add", 11, Types::Number, binary<&Emitter::add>},
    {"And", 11, Types::Boolean, binary<&Emitter::logicalAnd>},
    {"BitwiseAnd", 18, Types::Integer, binary<&Emitter::logicalAnd>},
    {"BitwiseOr", 18, Types::Integer, binary<&Emitter::logicalOr>},
    {"BitwiseXor", 18, Types::Integer, binary<&Emitter::logicalXor>},
    {"Cast", 11, Types::Any, cast},
    {"CastLike", 15, Types::Any, castLike},
    {"Ceil", 11, Types::Float, rounding<&Emitter::ceil>},
    {"Clip", 11, Types::Number, clip},
    {"Cos", 11, Types::Float, unary<&Emitter::cos>},
    {"Div", 11, Types::Number, binary<&Emitter::div>},
    {"Dropout", 11, Types::Float, dropout, "not in training mode"},
    {"Elu", 11, Types::Float, elu},
    {"Equal", 11, Types::Any, comparison<Comparison::Equal>},
    {"Erf", 11, Types::Float, unary<&Emitter::erf>},
    {"Exp", 11, Types::Float, unary<&Emitter::exp>},
    {"Floor", 11, Types::Float, rounding<&Emitter::floor>},
    {"Gelu", 20, Types::Float, geluOf},
    {"Greater", 11, Types::Number, comparison<Comparison::Greater>},
    {"GreaterOrEqual", 12, Types::Number, comparison<Comparison::GreaterOrEqual>},
    {"HardSigmoid", 11, Types::Float, hardSigmoid},
    {"HardSwish", 14, Types::Float, hardSwish},
    {"Identity", 11, Types::Any, identity},
    {"IsInf", 11, Types::Float, isInfinite},
    {"IsNaN", 11, Types::Float, unary<&Emitter::isNan>},
    {"LeakyRelu", 11, Types::Float, leakyRelu},
    {"Less", 11, Types::Number, comparison<Comparison::Less>},
    {"LessOrEqual", 12, Types::Number, comparison<Comparison::LessOrEqual>},
    {"Log", 11, Types::Float, unary<&Emitter::log>},
    {"Max", 11, Types::Number, variadic<&Emitter::max>},
    {"Mean", 11, Types::Float, meanOfOperands},
    {"Min", 11, Types::Number, variadic<&Emitter::min>},
    {"Mish", 18, Types::Float, mish},
    {"Mod", 11, Types::Number, modulo},
    {"Mul", 11, Types::Number, binary<&Emitter::mul>},
    {"Neg", 11, Types::Number, unary<&Emitter::neg>},
    {"Not", 11, Types::Boolean, unary<&Emitter::logicalNot>},
    {"Or", 11, Types::Boolean, binary<&Emitter::logicalOr>},
    {"PRelu", 11, Types::Float, parametricRelu},
    {"Pow", 11, Types::Number, power},
    {"Reciprocal", 11, Types::Float, unary<&Emitter::reciprocal>},
    {"Relu", 11, Types::Number, unary<&Emitter::relu>},
    {"Round", 11, Types::Float, rounding<&Emitter::round>},
    {"Selu", 11, Types::Float, selu},
    {"Sigmoid", 11, Types::Float, unary<&Emitter::sigmoid>},
    {"Sign", 11, Types::Number, unary<&Emitter::sign>},
    {"Sin", 11, Types::Float, unary<&Emitter::sin>},
    {"Softplus", 11, Types::Float, softplus},
    {"Softsign", 11, Types::Float, softsign},
    {"Sqrt", 11, Types::Float, unary<&Emitter::sqrt>},
    {"Sub", 11, Types::Number, binary<&Emitter::sub>},
    {"Sum", 11, Types::Float, variadic<&Emitter::add>},
    {"Swish", 24, Types::Float, swish},
    {"Tan", 11, Types::Float, tangent},
    {"Tanh", 11, Types::Float, unary<&Emitter::tanh>},
    {"Where", 11, Types::Any, where},
    {"Xor", 11, Types::Boolean, binary<&Emitter::logicalXor>},
};

} // namespace

llvm::ArrayRef<Operator> elementwiseOperators() { return table; }

} // namespace froe::importing

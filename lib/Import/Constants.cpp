// Operators whose results are known from shapes and attributes alone.
#include "ElementTypes.h"
#include "Failure.h"
#include "Initializers.h"
#include "Operators.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

/// The sizes of dims [start, end), bounds that may be outside since opset 15.
Tensors shape(Node &node) {
  Tensor x = node.operand(0);
  auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + x->rank() : at, 0, x->rank()); };
  int64_t start = place(node.integer("start", 0)), end = place(node.integer("end", x->rank()));
  return {node.emit.integers(start < end ? x->shape().slice(start, end - start) : llvm::ArrayRef<int64_t>())};
}

Tensors size(Node &node) { return {node.emit.scalar(node.emit.i64(), elementCount(node.operand(0)->shape()))}; }

Tensors constantOfShape(Node &node) {
  Sizes shape = node.knownIntegers(0, "shape");
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    throw Invalid(fmt::format("its shape {} has a negative size", spellShape(shape)));
  elementCount(shape, 8);
  Type type = node.emit.builder.getF32Type();
  Scalar value = realScalar(0);
  if (const onnx::AttributeProto *attribute = node.attribute("value")) {
    Constant constant = inlineConstant(*node.emit.context(), attribute->t());
    if (constant.count() != 1)
      throw Invalid(fmt::format("attribute 'value' has {} elements, expected one", constant.count()));
    type = constant.elementType();
    value = constant.flatten()[0];
  }
  return {node.emit.known(Constant::splat(type, shape, value))};
}

Tensors range(Node &node) {
  Constant start = node.knownOperand(0, "start"), limit = node.knownOperand(1, "limit"),
           delta = node.knownOperand(2, "delta");
  if (start.count() != 1 || limit.count() != 1 || delta.count() != 1)
    throw Invalid("its start, limit and delta are no scalars");
  Scalar from = start.flatten()[0], to = limit.flatten()[0], by = delta.flatten()[0];
  if (start.isFloat() ? by.real == 0 : by.integer == 0)
    throw Invalid("its delta is 0");
  double exact = start.isFloat() ? std::ceil((to.real - from.real) / by.real)
                                 : std::ceil((double(to.integer) - double(from.integer)) / double(by.integer));
  if (!(exact <= 1 << 24))
    throw Unsupported(fmt::format("a range of {} elements is not supported", exact));
  std::vector<Scalar> elements;
  for (int64_t i = 0; i < static_cast<int64_t>(exact); ++i)
    elements.push_back(roundTo(start.elementType(), start.isFloat() ? realScalar(from.real + i * by.real)
                                                                    : integerScalar(from.integer + i * by.integer)));
  int64_t count = elements.size();
  return {node.emit.known(Constant::dense(start.elementType(), {count}, std::move(elements)))};
}

Tensors eyeLike(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  if (x->rank() != 2)
    throw Invalid("its operand is no matrix");
  Type type = node.has("dtype") ? elementType(*emit.context(), node.integer("dtype")) : x->elementType();
  Tensor diagonal = emit.add(emit.iota(emit.i64(), {x->size(0), 1}, 0), emit.scalar(emit.i64(), node.integer("k", 0)));
  return {emit.cast(emit.compare(Comparison::Equal, emit.iota(emit.i64(), {1, x->size(1)}, 1), diagonal), type)};
}

// The graph itself imports nodes without a function: they need its files or its other graphs.
constexpr Operator table[] = {
    {"Constant", 11, Types::Any, nullptr, "tensors and numbers, no strings"},
    {"ConstantOfShape", 11, Types::Any, constantOfShape, "shape known at import"},
    {"EyeLike", 11, Types::Any, eyeLike},
    {"If", 11, Types::Boolean, nullptr, "condition known at import"},
    {"Range", 11, Types::Number, range, "bounds known at import"},
    {"Shape", 11, Types::Any, shape},
    {"Size", 11, Types::Any, size},
};

} // namespace

llvm::ArrayRef<Operator> constantOperators() { return table; }

} // namespace froe::importing

#include "Failure.h"
#include "Operators.h"

using namespace mlir;

namespace froe::importing {

namespace {

/// Axes were an attribute, of ReduceSum until opset 13 and of the others until 18. Nothing left to reduce means all
/// dims, or with `noop_with_empty_axes` none.
struct Reduced {
  Tensor x;
  Sizes dims;
  bool keepDims;
};

Reduced reduced(Node &node, int64_t axesMovedAt = 18) {
  Tensor x = node.operand(0);
  Sizes all = counting(0, x->rank());
  Sizes dims = node.axesMoved(1, axesMovedAt, x->rank()).value_or(Sizes());
  if (dims.empty() && !node.integer("noop_with_empty_axes", 0))
    dims = all;
  return {x, dims, node.integer("keepdims", 1) != 0};
}

template <Reduction kind> Tensors plain(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.reduce(kind, r.x, r.dims, r.keepDims)};
}

/// Booleans have maxima and minima since opset 20.
template <Reduction kind, Reduction ofBooleans> Tensors extreme(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.reduce(r.x->isBoolean() ? ofBooleans : kind, r.x, r.dims, r.keepDims)};
}

Tensors sum(Node &node) {
  Reduced r = reduced(node, 13);
  return {node.emit.reduce(Reduction::Sum, r.x, r.dims, r.keepDims)};
}

Tensors mean(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.mean(r.x, r.dims, r.keepDims)};
}

Tensors sumOfSquares(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.reduce(Reduction::Sum, node.emit.mul(r.x, r.x), r.dims, r.keepDims)};
}

Tensors norm1(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.reduce(Reduction::Sum, node.emit.abs(r.x), r.dims, r.keepDims)};
}

Tensors norm2(Node &node) { return {node.emit.sqrt(sumOfSquares(node).front())}; }

Tensors logOfSum(Node &node) {
  Reduced r = reduced(node);
  return {node.emit.log(node.emit.reduce(Reduction::Sum, r.x, r.dims, r.keepDims))};
}

/// The largest element is taken out of the sum, so that nothing overflows.
Tensors logOfSumOfExponentials(Node &node) {
  Emitter &emit = node.emit;
  Reduced r = reduced(node);
  Tensor largest = emit.reduce(Reduction::Max, r.x, r.dims, true);
  Tensor sum = emit.reduce(Reduction::Sum, emit.exp(emit.sub(r.x, largest)), r.dims, true);
  Tensor result = emit.add(emit.log(sum), largest);
  return {r.keepDims ? result : emit.reduce(Reduction::Max, result, r.dims, false)};
}

constexpr Operator table[] = {
    {"ReduceL1", 11, Types::Number, norm1},
    {"ReduceL2", 11, Types::Float, norm2},
    {"ReduceLogSum", 11, Types::Float, logOfSum},
    {"ReduceLogSumExp", 11, Types::Float, logOfSumOfExponentials},
    {"ReduceMax", 11, Types::Any, extreme<Reduction::Max, Reduction::Or>},
    {"ReduceMean", 11, Types::Number, mean},
    {"ReduceMin", 11, Types::Any, extreme<Reduction::Min, Reduction::And>},
    {"ReduceProd", 11, Types::Number, plain<Reduction::Product>},
    {"ReduceSum", 11, Types::Number, sum},
    {"ReduceSumSquare", 11, Types::Number, sumOfSquares},
};

} // namespace

llvm::ArrayRef<Operator> reductionOperators() { return table; }

} // namespace froe::importing

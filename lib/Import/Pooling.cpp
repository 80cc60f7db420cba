#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"
#include "Windows.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace froe::importing {

namespace {

void requireSpace(const Tensor &x) {
  if (x->rank() < 3)
    throw Invalid("its operand has no spatial dims");
}

Windows windowsOf(Node &node) {
  Tensor x = node.operand(0);
  requireSpace(x);
  if (!node.has("kernel_shape"))
    throw Invalid("attribute 'kernel_shape' is missing");
  return Windows::of(node, x, spatial(node, "kernel_shape", x->rank() - 2, 1));
}

/// What each window makes of its elements, and of `padding` around them.
Tensor pool(Emitter &emit, Reduction kind, Tensor x, const Windows &w, double padding) {
  Tensor seen = emit.window(w.padded(emit, x, padding), w.sizes, w.strides, w.dilations, w.counts);
  return emit.reduce(kind, seen, counting(2, 2 + w.sizes.size()), false);
}

double lowest(Type type) {
  if (isa<FloatType>(type))
    return -std::numeric_limits<double>::infinity();
  return type.isUnsignedInteger() ? 0 : -std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
}

Tensors maxPool(Node &node) {
  if (node.hasResult(1))
    throw Unsupported("the indices of a maximum are not supported");
  Windows w = windowsOf(node);
  Tensor x = node.operand(0);
  return {pool(node.emit, Reduction::Max, x, w, lowest(x->elementType()))};
}

/// How many elements the windows along dim `i` average: those inside the operand, or the padding, too.
std::vector<double> countsAlong(const Windows &w, size_t i, int64_t size, bool withPadding) {
  int64_t begin = withPadding ? -w.low[i] : 0, end = size + (withPadding ? w.high[i] : 0);
  std::vector<double> counts;
  for (int64_t window = 0; window < w.counts[i]; ++window) {
    int64_t count = 0;
    for (int64_t place = 0; place < w.sizes[i]; ++place) {
      int64_t element = window * w.strides[i] + place * w.dilations[i] - w.low[i];
      count += element >= begin && element < end;
    }
    counts.push_back(static_cast<double>(count));
  }
  return counts;
}

/// The number of elements that each window averages: a scalar where all have as many.
Tensor elementsSeen(Emitter &emit, const Tensor &x, const Windows &w, bool withPadding) {
  Tensor elements = emit.scalarLike(x, 1);
  for (size_t i = 0; i < w.sizes.size(); ++i) {
    std::vector<double> counts = countsAlong(w, i, x->size(i + 2), withPadding);
    if (llvm::all_equal(counts)) {
      elements = emit.mul(elements, emit.scalarLike(x, counts.front()));
      continue;
    }
    Sizes shape(w.sizes.size(), 1);
    shape[i] = w.counts[i];
    std::vector<Scalar> scalars;
    for (double count : counts)
      scalars.push_back(scalarOf(x->elementType(), count));
    elements = emit.mul(elements, emit.known(Constant::dense(x->elementType(), shape, std::move(scalars))));
  }
  return elements;
}

Tensors averagePool(Node &node) {
  Emitter &emit = node.emit;
  Windows w = windowsOf(node);
  Tensor x = node.operand(0);
  Tensor sums = pool(emit, Reduction::Sum, x, w, 0);
  Tensor elements = elementsSeen(emit, x, w, node.integer("count_include_pad", 0) != 0);
  return {elements->rank() == 0 ? emit.mul(sums, emit.div(emit.scalarLike(x, 1), elements)) : emit.div(sums, elements)};
}

/// (sum |x|^p)^(1/p)
template <typename Sum> Tensor normOf(Node &node, Sum sum) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  double p = static_cast<double>(node.integer("p", 2));
  if (p == 2)
    return emit.sqrt(sum(emit.mul(x, x)));
  Tensor magnitude = emit.abs(x);
  if (p == 1)
    return sum(magnitude);
  return emit.pow(sum(emit.pow(magnitude, emit.scalarLike(x, p))), emit.scalarLike(x, 1 / p));
}

Tensors normPool(Node &node) {
  Windows w = windowsOf(node);
  return {normOf(node, [&](Tensor terms) { return pool(node.emit, Reduction::Sum, terms, w, 0); })};
}

template <Reduction kind> Tensors globalPool(Node &node) {
  Tensor x = node.operand(0);
  requireSpace(x);
  Sizes dims = counting(2, x->rank());
  return {kind == Reduction::Sum ? node.emit.mean(x, dims, true) : node.emit.reduce(kind, x, dims, true)};
}

Tensors globalNormPool(Node &node) {
  requireSpace(node.operand(0));
  Sizes dims = counting(2, node.operand(0)->rank());
  return {normOf(node, [&](Tensor terms) { return node.emit.reduce(Reduction::Sum, terms, dims, true); })};
}

constexpr Operator table[] = {
    {"AveragePool", 11, Types::Float, averagePool},
    {"GlobalAveragePool", 11, Types::Float, globalPool<Reduction::Sum>},
    {"GlobalLpPool", 11, Types::Float, globalNormPool},
    {"GlobalMaxPool", 11, Types::Float, globalPool<Reduction::Max>},
    {"LpPool", 11, Types::Float, normPool},
    {"MaxPool", 11, Types::Number, maxPool, "no indices"},
};

} // namespace

llvm::ArrayRef<Operator> poolingOperators() { return table; }

} // namespace froe::importing

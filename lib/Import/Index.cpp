#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

Tensors gather(Node &node) {
  Tensor x = node.operand(0);
  return {node.emit.gather(x, node.operand(1), positiveDim(node.integer("axis", 0), x->rank()))};
}

Tensors gatherNd(Node &node) {
  return {node.emit.gatherNd(node.operand(0), node.operand(1), node.integer("batch_dims", 0))};
}

/// One tuple of indices an element: its own position, but for the gathered dim.
Tensors gatherElements(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0), indices = emit.cast(node.operand(1), emit.i64());
  int64_t axis = positiveDim(node.integer("axis", 0), x->rank());
  if (indices->rank() != x->rank())
    throw Invalid(fmt::format("indices of rank {} for a tensor of rank {}", indices->rank(), x->rank()));
  Sizes single(indices->shape());
  single.push_back(1);
  SmallVector<Tensor> tuple;
  for (int64_t dim = 0; dim < x->rank(); ++dim)
    tuple.push_back(emit.reshape(dim == axis ? indices : emit.iota(emit.i64(), indices->shape(), dim), single));
  return {emit.gatherNd(x, emit.concat(tuple, x->rank()), 0)};
}

Tensors oneHot(Node &node) {
  Emitter &emit = node.emit;
  Tensor indices = emit.cast(node.operand(0), emit.i64()), values = node.operand(2);
  Constant depthOperand = node.knownOperand(1, "depth");
  Scalar depthScalar = depthOperand.flatten().at(0);
  int64_t depth = depthOperand.isFloat() ? static_cast<int64_t>(depthScalar.real) : depthScalar.integer;
  int64_t axis = positiveDim(node.integer("axis", -1), indices->rank() + 1);
  indices = emit.select(emit.compare(Comparison::Less, indices, emit.scalar(emit.i64(), 0)),
                        emit.add(indices, emit.scalar(emit.i64(), depth)), indices);
  Sizes column(indices->shape()), counts(indices->rank() + 1, 1);
  column.insert(column.begin() + axis, 1);
  counts[axis] = depth;
  Tensor hot = emit.compare(Comparison::Equal, emit.iota(emit.i64(), counts, axis), emit.reshape(indices, column));
  Tensor off = emit.reshape(emit.sliceDim(values, 0, 0, 1), {}), on = emit.reshape(emit.sliceDim(values, 0, 1, 1), {});
  return {emit.select(hot, on, off)};
}

/// Columns minus rows of the last two dims compared with a diagonal.
Tensors trilu(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  if (x->rank() < 2)
    throw Invalid("its operand has no matrices");
  int64_t rows = x->size(x->rank() - 2), columns = x->size(x->rank() - 1);
  int64_t diagonal = node.optional(1) ? node.knownOperand(1, "k").flatten().at(0).integer : 0;
  auto relation = node.integer("upper", 1) ? Comparison::GreaterOrEqual : Comparison::LessOrEqual;
  Tensor limit = emit.add(emit.iota(emit.i64(), {rows, 1}, 0), emit.scalar(emit.i64(), diagonal));
  Tensor kept = emit.compare(relation, emit.iota(emit.i64(), {1, columns}, 1), limit);
  return {x->isBoolean() ? emit.logicalAnd(x, kept) : emit.select(kept, x, emit.scalarLike(x, 0))};
}

/// A running sum is a product with a triangular matrix of ones.
Tensors cumSum(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  int64_t dim = positiveDim(node.knownOperand(1, "axis").flatten().at(0).integer, x->rank()), size = x->size(dim);
  bool exclusive = node.integer("exclusive", 0), reverse = node.integer("reverse", 0);
  auto relation = reverse ? (exclusive ? Comparison::Greater : Comparison::GreaterOrEqual)
                          : (exclusive ? Comparison::Less : Comparison::LessOrEqual);
  Tensor counted = emit.compare(relation, emit.iota(emit.i64(), {size, 1}, 0), emit.iota(emit.i64(), {1, size}, 1));
  std::string letters, result;
  for (int64_t i = 0; i < x->rank(); ++i)
    letters += static_cast<char>('a' + i);
  result = letters;
  result[dim] = 'z';
  return {emit.contract(letters, std::string{letters[dim], 'z'}, result, x, emit.cast(counted, x->elementType()))};
}

/// The first (or last) position of the largest element: the smallest (largest) of the positions that hold it.
template <Reduction kind> Tensors argument(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  int64_t dim = positiveDim(node.integer("axis", 0), x->rank());
  bool last = node.integer("select_last_index", 0);
  Tensor best = emit.compare(Comparison::Equal, x, emit.reduce(kind, x, {dim}, true));
  Sizes counts(x->rank(), 1);
  counts[dim] = x->size(dim);
  Tensor positions =
      emit.select(best, emit.iota(emit.i64(), counts, dim), emit.scalar(emit.i64(), last ? -1 : x->size(dim)));
  return {emit.reduce(last ? Reduction::Max : Reduction::Min, positions, {dim}, node.integer("keepdims", 1))};
}

/// How many there are is known only with the elements.
Tensors nonZero(Node &node) {
  Constant x = node.knownOperand(0, "operand");
  SmallVector<SmallVector<int64_t>> found;
  forEachIndex(x.shape(), [&](llvm::ArrayRef<int64_t> index) {
    Scalar element = x.at(index);
    if (x.isFloat() ? element.real != 0 : element.integer != 0)
      found.emplace_back(index);
  });
  std::vector<Scalar> elements;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    for (llvm::ArrayRef<int64_t> index : found)
      elements.push_back(integerScalar(index[dim]));
  return {node.emit.known(Constant::dense(node.emit.i64(), {x.rank(), int64_t(found.size())}, std::move(elements)))};
}

constexpr Operator table[] = {
    {"ArgMax", 11, Types::Number, argument<Reduction::Max>},
    {"ArgMin", 11, Types::Number, argument<Reduction::Min>},
    {"CumSum", 11, Types::Number, cumSum, "axis known at import"},
    {"Gather", 11, Types::Any, gather},
    {"GatherElements", 11, Types::Any, gatherElements},
    {"GatherND", 11, Types::Any, gatherNd},
    {"NonZero", 11, Types::Any, nonZero, "operand known at import"},
    {"OneHot", 11, Types::Any, oneHot, "depth known at import"},
    {"Trilu", 14, Types::Any, trilu, "diagonal known at import"},
};

} // namespace

llvm::ArrayRef<Operator> indexOperators() { return table; }

} // namespace froe::importing

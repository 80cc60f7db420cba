// Layout ops only compute which element of which operand is meant.
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {

/// Dims that belong together in both shapes are mapped by themselves, so that an unchanged dim keeps its index.
Value lower(ReshapeOp op, Elements &elements, Indices indices) {
  IndexArithmetic &index = elements.index;
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  SmallVector<Value> source(from.size(), index.constant(0));
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    size_t firstI = i, firstJ = j;
    int64_t left = from[i++], right = to[j++];
    while (left != right && (left < right ? i < from.size() : j < to.size()))
      left < right ? left *= from[i++] : right *= to[j++];
    Value linear = index.linear(indices.slice(firstJ, j - firstJ), to.slice(firstJ, j - firstJ));
    SmallVector<Value> group = index.delinear(linear, from.slice(firstI, i - firstI));
    std::copy(group.begin(), group.end(), source.begin() + firstI);
  }
  return elements.at(op.getOperand(), source); // what is left over on either side has size 1
}

Value lower(TransposeOp op, Elements &elements, Indices indices) {
  SmallVector<Value> source(indices.size());
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    source[from] = indices[dim];
  return elements.at(op.getOperand(), source);
}

Value lower(BroadcastOp op, Elements &elements, Indices indices) {
  SmallVector<Value> source;
  for (auto [size, dim] : llvm::zip(shapeOf(op.getOperand()), op.getDims()))
    source.push_back(size == 1 ? elements.index.constant(0) : indices[dim]);
  return elements.at(op.getOperand(), source);
}

namespace {

/// The element of the operands from number `first` on, whose part of the result begins at `start`.
Value concatFrom(ConcatOp op, Elements &elements, Indices indices, size_t first, int64_t start) {
  int64_t dim = op.getDim();
  IndexArithmetic &index = elements.index;
  Value operand = op.getOperands()[first];
  int64_t end = start + shapeOf(operand)[dim];
  auto interval = index.interval(indices[dim]);
  auto here = [&] {
    SmallVector<Value> source(indices);
    source[dim] = index.add(indices[dim], -start);
    return index.assuming(source[dim], end - start, [&] { return elements.at(operand, source); });
  };
  auto behind = [&] { return concatFrom(op, elements, indices, first + 1, end); };
  if (first + 1 == op.getOperands().size() || interval.high < end)
    return here();
  if (interval.low >= end)
    return behind();
  Value condition =
      arith::CmpIOp::create(elements.builder, arith::CmpIPredicate::slt, indices[dim], index.constant(end));
  return elements.branch(condition, here, behind);
}

} // namespace

Value lower(ConcatOp op, Elements &elements, Indices indices) { return concatFrom(op, elements, indices, 0, 0); }

Value lower(SliceOp op, Elements &elements, Indices indices) {
  SmallVector<Value> source;
  for (auto [i, start, stride] : llvm::zip(indices, op.getStarts(), op.getStrides()))
    source.push_back(elements.index.add(elements.index.mul(i, stride), start));
  return elements.at(op.getOperand(), source);
}

Value lower(PadOp op, Elements &elements, Indices indices) {
  ImplicitLocOpBuilder &builder = elements.builder;
  IndexArithmetic &index = elements.index;
  SmallVector<Value> source;
  Value inside;
  for (auto [i, low, size] : llvm::zip(indices, op.getLow(), shapeOf(op.getOperand()))) {
    source.push_back(index.add(i, -low));
    auto interval = index.interval(source.back());
    if (interval.low >= 0 && interval.high < size)
      continue;
    if (interval.high < 0 || interval.low >= size)
      return scalarConstant(builder, elementTypeOf(op.getResult()), op.getValue());
    Value within = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, source.back(), index.constant(size));
    inside = inside ? arith::AndIOp::create(builder, inside, within).getResult() : within;
  }
  std::function<Value(size_t)> elementFrom = [&](size_t dim) -> Value {
    if (dim == source.size())
      return elements.at(op.getOperand(), source);
    return index.assuming(source[dim], shapeOf(op.getOperand())[dim], [&] { return elementFrom(dim + 1); });
  };
  auto element = [&] { return elementFrom(0); };
  auto padding = [&] { return scalarConstant(builder, elementTypeOf(op.getResult()), op.getValue()); };
  return inside ? elements.branch(inside, element, padding) : element();
}

Value lower(WindowOp op, Elements &elements, Indices indices) {
  IndexArithmetic &index = elements.index;
  size_t leading = op.getLeadingDims(), looked = op.getSizes().size();
  SmallVector<Value> source(indices.take_front(leading));
  for (size_t i = 0; i < looked; ++i) {
    Value place = index.mul(indices[leading + i], op.getDilations()[i]);
    source.push_back(index.add(index.mul(indices[leading + looked + i], op.getStrides()[i]), place));
  }
  return elements.at(op.getOperand(), source);
}

} // namespace froe

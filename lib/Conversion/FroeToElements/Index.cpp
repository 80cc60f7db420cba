// Ops whose elements' places are data.
#include "lib/Conversion/FroeToElements/Lower.h"
#include "runtime/include/froe_rt.h"

using namespace mlir;

namespace froe {
namespace {

constexpr uintptr_t kIndexAt = 101; // beside the tags of index arithmetic and elements

/// The element of `indices` as an index into a dim of `size`. Outside ones raise a fault and become 0.
Value indexAt(Value tensor, Elements &elements, Indices place, int64_t size) {
  ImplicitLocOpBuilder &builder = elements.builder;
  Type i64 = builder.getI64Type(), type = elementTypeOf(tensor);
  Memo::Key key{kIndexAt, Memo::key(tensor), uintptr_t(size)};
  for (Value i : place)
    key.push_back(Memo::key(i));
  if (Value known = elements.memo.find(key))
    return known;
  Value value = elements.at(tensor, place);
  if (!value.getType().isInteger(64))
    value = type.isUnsignedInteger() ? arith::ExtUIOp::create(builder, i64, value).getResult()
                                     : arith::ExtSIOp::create(builder, i64, value).getResult();
  Value zero = elements.index.constant(0), end = elements.index.constant(size);
  if (!type.isUnsignedInteger()) {
    Value negative = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, value, zero);
    Value wrapped = arith::AddIOp::create(builder, value, end);
    value = arith::SelectOp::create(builder, negative, wrapped, value);
  }
  Value outside = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, value, end);
  elements.raiseIf(outside, FROE_FAULT_INDEX);
  value = arith::SelectOp::create(builder, outside, zero, value);
  elements.index.define(value, {0, std::max<int64_t>(size - 1, 0)});
  elements.memo.insert(std::move(key), value);
  return value;
}

} // namespace

Value lower(GatherOp op, Elements &elements, Indices indices) {
  int64_t dim = op.getDim(), rank = shapeOf(op.getIndices()).size();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  SmallVector<Value> source(indices.take_front(dim));
  source.push_back(indexAt(op.getIndices(), elements, indices.slice(dim, rank), shape[dim]));
  llvm::append_range(source, indices.drop_front(dim + rank));
  return elements.at(op.getOperand(), source);
}

Value lower(GatherNdOp op, Elements &elements, Indices indices) {
  int64_t batch = op.getBatchDims(), rank = shapeOf(op.getIndices()).size();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t depth = shapeOf(op.getIndices()).back();
  SmallVector<Value> source(indices.take_front(batch));
  SmallVector<Value> place(indices.take_front(rank - 1));
  for (int64_t i = 0; i < depth; ++i) {
    place.push_back(elements.index.constant(i));
    source.push_back(indexAt(op.getIndices(), elements, place, shape[batch + i]));
    place.pop_back();
  }
  llvm::append_range(source, indices.drop_front(rank - 1));
  return elements.at(op.getOperand(), source);
}

} // namespace froe

#include "lib/Conversion/KernelsToGpu/Share.h"

using namespace mlir;

namespace froe {
namespace {

/// One scf.for from 0 to `size` whose index has its interval and whose body has its own scope.
SmallVector<Value> loop(Elements &elements, int64_t size, ValueRange initial,
                        llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  ImplicitLocOpBuilder &builder = elements.builder;
  IndexArithmetic &index = elements.index;
  Memo::Scope scope(elements.memo);
  if (size == 1)
    return body(index.constant(0), initial);
  auto loopOp = scf::ForOp::create(builder, index.constant(0), index.constant(size), index.constant(1), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loopOp.getBody());
  index.define(loopOp.getInductionVar(), {0, std::max<int64_t>(size - 1, 0)});
  SmallVector<Value> values = body(loopOp.getInductionVar(), loopOp.getRegionIterArgs());
  if (!initial.empty()) { // without values the terminator is already there
    builder.setInsertionPointToEnd(loopOp.getBody());
    scf::YieldOp::create(builder, values);
  }
  return SmallVector<Value>(loopOp.getResults());
}

SmallVector<Value> nest(Elements &elements, ArrayRef<int64_t> sizes, SmallVectorImpl<Value> &indices,
                        ValueRange initial, llvm::function_ref<SmallVector<Value>(Indices, ValueRange)> body) {
  if (sizes.empty())
    return body(indices, initial);
  return loop(elements, sizes.front(), initial, [&](Value i, ValueRange values) {
    indices.push_back(i);
    SmallVector<Value> next = nest(elements, sizes.drop_front(), indices, values, body);
    indices.pop_back();
    return next;
  });
}

} // namespace

void when(Elements &elements, Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  Memo::Scope scope(elements.memo);
  auto branch = scf::IfOp::create(elements.builder, condition);
  OpBuilder::InsertionGuard guard(elements.builder);
  elements.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> foldOver(Elements &elements, ArrayRef<int64_t> sizes, ValueRange initial,
                            llvm::function_ref<SmallVector<Value>(Indices, ValueRange)> body) {
  SmallVector<Value> indices;
  return nest(elements, sizes, indices, initial, body);
}

Share::Share(Elements &elements, ArrayRef<int64_t> row, const LaunchShape &shape, Value lane)
    : elements(elements), row(row), shape(shape), lane(lane), unrolled(shape.inRegisters) {
  if (unrolled)
    for (int64_t turn = 0; turn < shape.turns; ++turn)
      vectors.push_back(vectorAt(elements.index.add(lane, turn * shape.team)));
}

Share::Share(Elements &elements, RowVector only) : elements(elements), unrolled(true), vectors{std::move(only)} {}

/// Threads without a vector compute the last one again instead of branching: their results are dropped.
RowVector Share::vectorAt(Value number) {
  ImplicitLocOpBuilder &builder = elements.builder;
  IndexArithmetic &index = elements.index;
  RowVector vector;
  SmallVector<int64_t> sizes(row);
  int64_t count = 1;
  if (!sizes.empty())
    sizes.back() /= shape.vector;
  for (int64_t size : sizes)
    count *= size;
  if (index.interval(number).high >= count) {
    Value end = index.constant(count), last = index.constant(std::max<int64_t>(count - 1, 0));
    vector.active = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, number, end);
    number = arith::MinSIOp::create(builder, number, last);
    index.define(number, {0, std::max<int64_t>(count - 1, 0)});
  }
  SmallVector<Value> indices = index.delinear(number, sizes);
  Value first = indices.empty() ? Value() : index.mul(indices.back(), shape.vector);
  for (int64_t i = 0; i < shape.vector; ++i) {
    if (first)
      indices.back() = index.add(first, i);
    vector.elements.push_back(indices);
  }
  return vector;
}

void Share::forEach(llvm::function_ref<void(const RowVector &)> body) {
  if (unrolled) {
    for (const RowVector &vector : vectors)
      body(vector);
    return;
  }
  loop(elements, shape.turns, {}, [&](Value turn, ValueRange) -> SmallVector<Value> {
    body(vectorAt(elements.index.add(lane, elements.index.mul(turn, shape.team))));
    return {};
  });
}

SmallVector<Value> Share::fold(ValueRange initial, Body body) {
  auto foldVector = [&](const RowVector &vector, ValueRange accumulated) {
    SmallVector<Value> values(accumulated);
    for (const SmallVector<Value> &element : vector.elements)
      values = body(element, vector.active, values);
    return values;
  };
  SmallVector<Value> values(initial);
  if (unrolled) {
    for (const RowVector &vector : vectors)
      values = foldVector(vector, values);
    return values;
  }
  return loop(elements, shape.turns, initial, [&](Value turn, ValueRange accumulated) {
    return foldVector(vectorAt(elements.index.add(lane, elements.index.mul(turn, shape.team))), accumulated);
  });
}

} // namespace froe

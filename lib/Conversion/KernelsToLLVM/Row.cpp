#include "lib/Conversion/KernelsToLLVM/Row.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace froe {
namespace {

/// What rows may take of a thread's stack.
constexpr int64_t kMaxBufferBytes = 256 << 10;

} // namespace

Value Row::at(Value tensor, Indices row) {
  SmallVector<Value> indices(outer);
  llvm::append_range(indices, row);
  return elements.at(tensor, indices);
}

SmallVector<Value> Row::fold(ArrayRef<int64_t> cuts, ValueRange initial, Body body) {
  return foldOver(domain.row, cuts, initial, body);
}

SmallVector<Value> Row::foldOver(ArrayRef<int64_t> sizes, ArrayRef<int64_t> cuts, ValueRange initial, Body body) {
  SmallVector<Value> indices;
  return loop(sizes, cuts, indices, initial, body);
}

SmallVector<Value> Row::loop(ArrayRef<int64_t> sizes, ArrayRef<int64_t> cuts, SmallVectorImpl<Value> &indices,
                             ValueRange initial, Body body) {
  if (sizes.empty())
    return body(indices, initial);
  int64_t size = sizes.front();
  SmallVector<int64_t> ends;
  if (sizes.size() == 1)
    ends.assign(cuts.begin(), cuts.end());
  ends.push_back(size);
  SmallVector<Value> values(initial);
  int64_t from = 0;
  for (int64_t to : ends) {
    values = segment(from, to, sizes.drop_front(), cuts, indices, values, body);
    from = to;
  }
  return values;
}

SmallVector<Value> Row::segment(int64_t from, int64_t to, ArrayRef<int64_t> inner, ArrayRef<int64_t> cuts,
                                SmallVectorImpl<Value> &indices, ValueRange initial, Body body) {
  IndexArithmetic &index = elements.index;
  if (to - from == 1) {
    Memo::Scope scope(elements.memo);
    indices.push_back(index.constant(from));
    SmallVector<Value> values = loop(inner, cuts, indices, initial, body);
    indices.pop_back();
    return values;
  }
  auto loopOp = scf::ForOp::create(builder(), index.constant(from), index.constant(to), index.constant(1), initial);
  OpBuilder::InsertionGuard guard(builder());
  Memo::Scope scope(elements.memo);
  builder().setInsertionPointToStart(loopOp.getBody());
  index.define(loopOp.getInductionVar(), {from, std::max(from, to - 1)});
  indices.push_back(loopOp.getInductionVar());
  SmallVector<Value> values = loop(inner, cuts, indices, loopOp.getRegionIterArgs(), body);
  indices.pop_back();
  if (!initial.empty()) { // without values the terminator is already there
    builder().setInsertionPointToEnd(loopOp.getBody());
    scf::YieldOp::create(builder(), values);
  }
  return SmallVector<Value>(loopOp.getResults());
}

RowBuffer Row::allocate(Type elementType) {
  Type memory = memoryType(elementType);
  allocatedBytes += domain.rowSize() * (memory.getIntOrFloatBitWidth() / 8);
  Value size = elements.index.constant(std::max<int64_t>(domain.rowSize(), 1));
  OpBuilder::InsertionGuard guard(builder());
  builder().setInsertionPointAfter(size.getDefiningOp());
  Type pointer = LLVM::LLVMPointerType::get(builder().getContext());
  return RowBuffer{LLVM::AllocaOp::create(builder(), pointer, memory, size, /*alignment=*/64), elementType};
}

std::optional<RowBuffer> Row::tryAllocate(Type elementType) {
  int64_t bytes = domain.rowSize() * (memoryType(elementType).getIntOrFloatBitWidth() / 8);
  if (allocatedBytes + bytes > kMaxBufferBytes)
    return std::nullopt;
  return allocate(elementType);
}

Value Row::load(const RowBuffer &buffer, Indices row) {
  return elements.load(buffer.pointer, buffer.elementType, elements.index.linear(row, domain.row));
}

void Row::store(const RowBuffer &buffer, Indices row, Value element) {
  elements.store(element, buffer.pointer, buffer.elementType, elements.index.linear(row, domain.row));
}

void Row::checkOuter(Value tensor, Indices indices) {
  if (indices.take_front(outer.size()) != ArrayRef<Value>(outer))
    llvm::report_fatal_error("a result of '" + tensor.getDefiningOp()->getName().getStringRef() +
                             "' is read outside its row");
}

void Row::declareFull(Value tensor, std::function<Value(Indices)> source) {
  elements.declare(tensor, [this, tensor, source = std::move(source)](Indices indices) {
    checkOuter(tensor, indices);
    return source(indices.drop_front(outer.size()));
  });
}

void Row::declareOuter(Value tensor, Value element) {
  elements.declare(tensor, [this, tensor, element](Indices indices) {
    checkOuter(tensor, indices);
    return element;
  });
}

} // namespace froe

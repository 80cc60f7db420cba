// Ops that look at whole rows.
#include "lib/Conversion/KernelsToLLVM/Row.h"

#include "lib/Conversion/FroeToElements/ReducedDims.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace froe {
namespace {

constexpr auto kContract = arith::FastMathFlags::contract;

/// The sum over the row of what `term` makes of each element.
Value sumOf(Row &row, Value operand, llvm::function_ref<Value(Value element)> term) {
  Type type = elementTypeOf(operand);
  Value zero = neutralElement(row.builder(), Reduction::Sum, type);
  return row.fold(findCuts(operand, row.domain), zero, [&](Indices i, ValueRange sum) -> SmallVector<Value> {
    Value element = term(row.at(operand, i));
    auto flags = arith::FastMathFlags::reassoc | kContract;
    return {arith::AddFOp::create(row.builder(), sum[0], element, flags)};
  })[0];
}

Value square(ImplicitLocOpBuilder &builder, Value x) { return arith::MulFOp::create(builder, x, x, kContract); }

/// Over the whole row: one number.
void reduceRow(ReduceOp op, Row &row) {
  Type type = elementTypeOf(op.getOperand());
  Value neutral = neutralElement(row.builder(), op.getKind(), type);
  Value result =
      row.fold(findCuts(op.getOperand(), row.domain), neutral, [&](Indices i, ValueRange sum) -> SmallVector<Value> {
        return {combine(row.builder(), op.getKind(), type, sum[0], row.at(op.getOperand(), i))};
      })[0];
  row.declareOuter(op.getResult(), result);
}

/// The domain is the result's shape. Where the operand's innermost dim stays, a row of sums grows; else one sum at a
/// time.
void reduceIntoRow(ReduceOp op, Row &row) {
  Type type = elementTypeOf(op.getOperand());
  SmallVector<int64_t> reduced = reducedSizes(op);
  auto neutral = [&] { return neutralElement(row.builder(), op.getKind(), type); };
  auto element = [&](Indices i, Indices r, Value sum) {
    SmallVector<Value> kept(row.outer);
    llvm::append_range(kept, i);
    Value operand = row.elements.at(op.getOperand(), operandIndices(op, kept, r));
    return combine(row.builder(), op.getKind(), type, sum, operand);
  };
  if (row.domain.row.empty()) {
    Value sum = row.foldOver(reduced, {}, neutral(), [&](Indices r, ValueRange sum) -> SmallVector<Value> {
      return {element({}, r, sum[0])};
    })[0];
    return row.declareOuter(op.getResult(), sum);
  }
  RowBuffer buffer = row.allocate(scalarType(type));
  row.fold({}, {}, [&](Indices i, ValueRange) -> SmallVector<Value> {
    row.store(buffer, i, neutral());
    return {};
  });
  row.foldOver(reduced, {}, {}, [&](Indices r, ValueRange) -> SmallVector<Value> {
    SmallVector<Value> reducedIndices(r);
    row.fold({}, {}, [&](Indices i, ValueRange) -> SmallVector<Value> {
      row.store(buffer, i, element(i, reducedIndices, row.load(buffer, i)));
      return {};
    });
    return {};
  });
  row.declareFull(op.getResult(), [&row, buffer](Indices i) { return row.load(buffer, i); });
}

} // namespace

void prepare(ReduceOp op, Row &row) { reducesRows(op, row.domain) ? reduceRow(op, row) : reduceIntoRow(op, row); }

void prepare(SoftmaxOp op, Row &row) {
  ImplicitLocOpBuilder &builder = row.builder();
  Value operand = op.getOperand();
  Type type = elementTypeOf(operand), scalar = scalarType(type);
  SmallVector<int64_t> cuts = findCuts(operand, row.domain);
  Value lowest = neutralElement(builder, Reduction::Max, type);
  Value largest = row.fold(cuts, lowest, [&](Indices i, ValueRange most) -> SmallVector<Value> {
    return {combine(builder, Reduction::Max, type, most[0], row.at(operand, i))};
  })[0];
  auto exponential = [&row, operand, largest](Indices i) -> Value {
    Value distance = arith::SubFOp::create(row.builder(), row.at(operand, i), largest);
    return math::ExpOp::create(row.builder(), distance);
  };
  std::optional<RowBuffer> buffer = row.tryAllocate(scalar);
  Value zero = neutralElement(builder, Reduction::Sum, type);
  Value sum = row.fold(cuts, zero, [&](Indices i, ValueRange sum) -> SmallVector<Value> {
    Value element = exponential(i);
    if (buffer)
      row.store(*buffer, i, element);
    return {combine(builder, Reduction::Sum, type, sum[0], element)};
  })[0];
  Value inverse = arith::DivFOp::create(builder, scalarConstant(builder, type, 1.0), sum);
  row.declareFull(op.getResult(), [&row, buffer, exponential, inverse](Indices i) -> Value {
    Value element = buffer ? row.load(*buffer, i) : exponential(i);
    return arith::MulFOp::create(row.builder(), element, inverse);
  });
}

void prepare(NormalizeOp op, Row &row) {
  ImplicitLocOpBuilder &builder = row.builder();
  Value operand = op.getOperand();
  Type type = elementTypeOf(operand);
  Value perElement = scalarConstant(builder, type, 1.0 / double(row.domain.rowSize()));
  Value mean;
  if (op.getForm() == NormalizeForm::Layer) {
    Value sum = sumOf(row, operand, [](Value x) { return x; });
    mean = arith::MulFOp::create(builder, sum, perElement);
  }
  auto centred = [&builder, mean](Value x) { return mean ? arith::SubFOp::create(builder, x, mean).getResult() : x; };
  Value squares = sumOf(row, operand, [&](Value x) { return square(builder, centred(x)); });
  Value epsilon = scalarConstant(builder, type, op.getEpsilon().convertToDouble());
  Value variance = arith::AddFOp::create(builder, arith::MulFOp::create(builder, squares, perElement), epsilon);
  Value inverse =
      arith::DivFOp::create(builder, scalarConstant(builder, type, 1.0), math::SqrtOp::create(builder, variance));
  row.declareFull(op.getResult(), [&row, op, operand, centred, inverse](Indices i) mutable -> Value {
    ImplicitLocOpBuilder &builder = row.builder();
    Value result = arith::MulFOp::create(builder, centred(row.at(operand, i)), inverse);
    if (Value scale = op.getScale())
      result = arith::MulFOp::create(builder, result, row.elements.at(scale, i));
    if (Value bias = op.getBias())
      result = arith::AddFOp::create(builder, result, row.elements.at(bias, i));
    return result;
  });
}

} // namespace froe

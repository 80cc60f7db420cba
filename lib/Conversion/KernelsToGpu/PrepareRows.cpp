#include "lib/Conversion/KernelsToGpu/PrepareRows.h"

#include "lib/Conversion/FroeToElements/ReducedDims.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace froe {
namespace {

constexpr auto kContract = arith::FastMathFlags::contract;
constexpr uintptr_t kExponential = 102; // a tag of Memo, beside those of FroeToElements

SmallVector<Value> reduceFor(ReduceOp op, ThreadCode &code, ArrayRef<SmallVector<Value>> places) {
  Type type = elementTypeOf(op.getOperand());
  SmallVector<Value> initial(places.size(), neutralElement(code.builder(), op.getKind(), type));
  return foldOver(code.elements, reducedSizes(op), initial, [&](Indices r, ValueRange sums) {
    SmallVector<Value> next;
    for (auto [place, sum] : llvm::zip(places, sums)) {
      Value element = code.elements.at(op.getOperand(), operandIndices(op, place, r));
      next.push_back(combine(code.builder(), op.getKind(), type, sum, element));
    }
    return next;
  });
}

/// The domain is the result's shape: each thread walks over the dims that vanish, for all its elements at once.
void reduceEach(ReduceOp op, ThreadCode &code) {
  const std::vector<RowVector> *vectors = code.share.all();
  if (!vectors) {
    code.elements.declare(op.getResult(), [op, &code](Indices indices) mutable {
      return reduceFor(op, code, {SmallVector<Value>(indices)})[0];
    });
    return;
  }
  SmallVector<SmallVector<Value>> places;
  for (const RowVector &vector : *vectors)
    for (const SmallVector<Value> &row : vector.elements)
      places.push_back(code.full(row));
  for (auto [place, sum] : llvm::zip(places, reduceFor(op, code, places)))
    code.elements.remember(op.getResult(), place, sum);
}

} // namespace

SmallVector<Value> ThreadCode::full(Indices row) const {
  SmallVector<Value> indices(outer);
  llvm::append_range(indices, row);
  return indices;
}

void ThreadCode::declareFull(Value tensor, std::function<Value(Indices)> source) {
  elements.declare(
      tensor, [this, source = std::move(source)](Indices indices) { return source(indices.drop_front(outer.size())); });
}

Value ThreadCode::reduce(Reduction kind, Type elementType, llvm::function_ref<Value(Indices)> element) {
  ImplicitLocOpBuilder &b = builder();
  auto combined = [&](Value x, Value y) { return combine(b, kind, elementType, x, y); };
  Value neutral = neutralElement(b, kind, elementType);
  Value own = share.fold(neutral, [&](Indices row, Value active, ValueRange sum) -> SmallVector<Value> {
    Value term = element(row);
    if (active)
      term = arith::SelectOp::create(b, active, term, neutral);
    return {combined(sum[0], term)};
  })[0];
  return team.allReduce(own, combined);
}

void prepare(ReduceOp op, ThreadCode &code) {
  if (!reducesRows(op, code.domain))
    return reduceEach(op, code);
  Value operand = op.getOperand();
  Value result = code.reduce(op.getKind(), elementTypeOf(operand), [&](Indices i) { return code.at(operand, i); });
  code.elements.declare(op.getResult(), [result](Indices) { return result; });
}

void prepare(SoftmaxOp op, ThreadCode &code) {
  ImplicitLocOpBuilder &builder = code.builder();
  Value operand = op.getOperand();
  Type type = elementTypeOf(operand);
  Value largest = code.reduce(Reduction::Max, type, [&](Indices i) { return code.at(operand, i); });
  auto exponential = [&code, operand, largest, op](Indices i) mutable -> Value {
    Memo::Key key{kExponential, Memo::key(op.getResult())};
    for (Value index : i)
      key.push_back(Memo::key(index));
    if (Value known = code.elements.memo.find(key))
      return known;
    Value distance = arith::SubFOp::create(code.builder(), code.at(operand, i), largest);
    Value element = math::ExpOp::create(code.builder(), distance);
    code.elements.memo.insert(std::move(key), element);
    return element;
  };
  Value sum = code.reduce(Reduction::Sum, type, exponential);
  Value inverse = arith::DivFOp::create(builder, scalarConstant(builder, type, 1.0), sum);
  code.declareFull(op.getResult(), [&code, exponential, inverse](Indices i) mutable -> Value {
    return arith::MulFOp::create(code.builder(), exponential(i), inverse);
  });
}

void prepare(NormalizeOp op, ThreadCode &code) {
  ImplicitLocOpBuilder &builder = code.builder();
  Value operand = op.getOperand();
  Type type = elementTypeOf(operand);
  Value perElement = scalarConstant(builder, type, 1.0 / double(code.domain.rowSize()));
  Value mean;
  if (op.getForm() == NormalizeForm::Layer) {
    Value sum = code.reduce(Reduction::Sum, type, [&](Indices i) { return code.at(operand, i); });
    mean = arith::MulFOp::create(builder, sum, perElement);
  }
  auto centred = [&code, operand, mean](Indices i) -> Value {
    Value x = code.at(operand, i);
    return mean ? arith::SubFOp::create(code.builder(), x, mean).getResult() : x;
  };
  Value squares = code.reduce(Reduction::Sum, type, [&](Indices i) -> Value {
    Value x = centred(i);
    return arith::MulFOp::create(builder, x, x, kContract);
  });
  Value epsilon = scalarConstant(builder, type, op.getEpsilon().convertToDouble());
  Value variance = arith::AddFOp::create(builder, arith::MulFOp::create(builder, squares, perElement), epsilon);
  Value inverse =
      arith::DivFOp::create(builder, scalarConstant(builder, type, 1.0), math::SqrtOp::create(builder, variance));
  code.declareFull(op.getResult(), [&code, op, centred, inverse](Indices i) mutable -> Value {
    Value result = arith::MulFOp::create(code.builder(), centred(i), inverse);
    if (Value scale = op.getScale())
      result = arith::MulFOp::create(code.builder(), result, code.elements.at(scale, i));
    if (Value bias = op.getBias())
      result = arith::AddFOp::create(code.builder(), result, code.elements.at(bias, i));
    return result;
  });
}

} // namespace froe

#include "lib/Conversion/FroeToElements/IndexArithmetic.h"

using namespace mlir;

namespace froe {
namespace {

enum Tag : uintptr_t { kAdd = 1, kMul, kDiv, kRem };

constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;
/// Larger divisors are of no use.
constexpr int64_t kMaxDivisor = 1 << 20;

} // namespace

Value IndexArithmetic::constant(int64_t value) {
  Value &slot = constants[value];
  if (!slot) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    slot = arith::ConstantIntOp::create(builder, value, 64);
    intervals[slot] = {value, value};
    divisors[slot] = std::gcd(value, kMaxDivisor);
  }
  return slot;
}

IndexArithmetic::Interval IndexArithmetic::interval(Value index) const {
  auto it = intervals.find(index);
  assert(it != intervals.end() && "an index of unknown origin");
  return it->second;
}

Value IndexArithmetic::assuming(Value index, int64_t size, llvm::function_ref<Value()> build) {
  Interval old = interval(index);
  intervals[index] = {std::max<int64_t>(old.low, 0), std::min(old.high, size - 1)};
  Value value = build();
  intervals[index] = old;
  return value;
}

int64_t IndexArithmetic::divisor(Value index) const {
  auto it = divisors.find(index);
  return it == divisors.end() ? 1 : it->second;
}

Value IndexArithmetic::known(Value index, Interval interval, int64_t divisor) {
  intervals[index] = interval;
  divisors[index] = std::gcd(divisor, kMaxDivisor);
  return index;
}

std::pair<Value, int64_t> IndexArithmetic::split(Value index) {
  Interval here = interval(index);
  if (here.low == here.high)
    return {constant(0), here.low};
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum || !intervals.contains(sum.getLhs()) || !intervals.contains(sum.getRhs()))
    return {index, 0};
  auto [left, leftOffset] = split(sum.getLhs());
  auto [right, rightOffset] = split(sum.getRhs());
  if (leftOffset == 0 && rightOffset == 0)
    return {index, 0};
  return {add(left, right), leftOffset + rightOffset};
}

bool IndexArithmetic::staysBelow(Value base, int64_t offset, int64_t b) const {
  return offset > 0 && interval(base).low >= 0 && offset < std::gcd(divisor(base), b);
}

Value IndexArithmetic::add(Value a, Value b) {
  Interval x = interval(a), y = interval(b), sum{x.low + y.low, x.high + y.high};
  if (sum.low == sum.high)
    return constant(sum.low);
  if (x.low == 0 && x.high == 0)
    return b;
  if (y.low == 0 && y.high == 0)
    return a;
  Memo::Key key{kAdd, Memo::key(a), Memo::key(b)};
  if (Value value = memo.find(key))
    return value;
  Value value = known(arith::AddIOp::create(builder, a, b, kNoWrap), sum, std::gcd(divisor(a), divisor(b)));
  memo.insert(std::move(key), value);
  return value;
}

Value IndexArithmetic::mul(Value a, int64_t b) {
  Interval x = interval(a), product{std::min(x.low * b, x.high * b), std::max(x.low * b, x.high * b)};
  if (product.low == product.high)
    return constant(product.low);
  if (b == 1)
    return a;
  Memo::Key key{kMul, Memo::key(a), uintptr_t(b)};
  if (Value value = memo.find(key))
    return value;
  Value value = known(arith::MulIOp::create(builder, a, constant(b), kNoWrap), product, divisor(a) * std::abs(b));
  memo.insert(std::move(key), value);
  return value;
}

Value IndexArithmetic::div(Value a, int64_t b) {
  Interval x = interval(a), quotient{x.low / b, x.high / b};
  if (quotient.low == quotient.high)
    return constant(quotient.low);
  if (b == 1)
    return a;
  if (keepsNeighbours)
    if (auto [base, offset] = split(a); staysBelow(base, offset, b))
      return div(base, b);
  Memo::Key key{kDiv, Memo::key(a), uintptr_t(b)};
  if (Value value = memo.find(key))
    return value;
  Value value =
      known(arith::DivUIOp::create(builder, a, constant(b)), quotient, divisor(a) % b == 0 ? divisor(a) / b : 1);
  memo.insert(std::move(key), value);
  return value;
}

Value IndexArithmetic::rem(Value a, int64_t b) {
  Interval x = interval(a);
  if (x.low == x.high)
    return constant(x.low % b);
  if (b == 1)
    return constant(0);
  if (x.low / b == x.high / b)
    return add(a, -(x.low / b) * b);
  if (keepsNeighbours)
    if (auto [base, offset] = split(a); staysBelow(base, offset, b))
      return add(rem(base, b), offset);
  Memo::Key key{kRem, Memo::key(a), uintptr_t(b)};
  if (Value value = memo.find(key))
    return value;
  Value value = known(arith::RemUIOp::create(builder, a, constant(b)), {0, b - 1}, std::gcd(divisor(a), b));
  memo.insert(std::move(key), value);
  return value;
}

Value IndexArithmetic::linear(ArrayRef<Value> indices, ArrayRef<int64_t> shape) {
  Value sum = constant(0);
  int64_t stride = 1;
  SmallVector<Value> terms;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    terms.push_back(mul(indices[i], stride));
  for (Value term : llvm::reverse(terms)) // the innermost dim last: the rest moves out of its loop
    sum = add(sum, term);
  return sum;
}

SmallVector<Value> IndexArithmetic::delinear(Value index, ArrayRef<int64_t> shape) {
  SmallVector<Value> indices(shape.size());
  for (size_t i = shape.size(); i-- > 0; index = div(index, std::max<int64_t>(shape[i], 1)))
    indices[i] = rem(index, std::max<int64_t>(shape[i], 1));
  return indices;
}

} // namespace froe

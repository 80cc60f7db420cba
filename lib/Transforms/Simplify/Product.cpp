#include "lib/Transforms/Simplify/Patterns.h"

#include "dialects/Froe/Constants.h"

#include <cmath>

using namespace mlir;

namespace froe {

namespace {

using Dims = SmallVector<int64_t>;

Dims dimsLargerThanOne(ArrayRef<int64_t> shape) {
  Dims dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

/// Where each dim of the operand stands in the result, -1 for those of size 1.
Dims placesIn(BroadcastOp op) {
  Dims places(op.getDims());
  for (auto [place, size] : llvm::zip(places, op.getOperand().getType().getShape()))
    if (size == 1)
      place = -1;
  return places;
}
std::optional<Dims> placesIn(ReshapeOp op) {
  ArrayRef<int64_t> from = op.getOperand().getType().getShape(), to = op.getType().getShape();
  Dims before = dimsLargerThanOne(from), after = dimsLargerThanOne(to), places(from.size(), -1);
  if (before.size() != after.size())
    return std::nullopt;
  for (auto [source, place] : llvm::zip(before, after)) {
    if (from[source] != to[place])
      return std::nullopt;
    places[source] = place;
  }
  return places;
}

} // namespace

Repeated Repeated::of(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  Repeated repeated{value, Dims(shape.size(), -1)};
  for (int64_t dim : dimsLargerThanOne(shape))
    repeated.dims[dim] = dim;
  while (Operation *op = repeated.source.getDefiningOp()) {
    std::optional<Dims> places;
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      places = placesIn(broadcast);
    else if (auto reshape = dyn_cast<ReshapeOp>(op))
      places = placesIn(reshape);
    if (!places)
      break;
    for (int64_t &place : *places)
      place = place < 0 ? -1 : repeated.dims[place];
    repeated = {op->getOperand(0), *places};
  }
  return repeated;
}

std::optional<double> splatValue(Value value) {
  std::optional<APFloat> number = numberOf(value);
  return number ? std::optional(number->convertToDouble()) : std::nullopt;
}

bool isRounded(double found, double expected, Type elementType) {
  // Constants of wide types often passed through f32 on their way here. Two roundings by half a unit in the last place.
  auto type = dyn_cast<FloatType>(elementType);
  unsigned bits = type ? std::min(type.getFPMantissaWidth(), 24u) : 24;
  return std::abs(found - expected) <= std::ldexp(std::abs(expected), 1 - static_cast<int>(bits));
}

static void collect(Value value, Product &product, bool isRoot) {
  if (std::optional<double> number = splatValue(value)) {
    product.constant *= *number;
    return;
  }
  Operation *op = isRoot || value.hasOneUse() ? value.getDefiningOp() : nullptr;
  if (auto mul = dyn_cast_if_present<MulOp>(op)) {
    collect(mul.getLhs(), product, false);
    collect(mul.getRhs(), product, false);
    return;
  }
  auto div = dyn_cast_if_present<DivOp>(op);
  if (std::optional<double> divisor = div ? splatValue(div.getRhs()) : std::nullopt; divisor && *divisor != 0) {
    product.constant /= *divisor;
    collect(div.getLhs(), product, false);
    return;
  }
  product.leaves.push_back(value);
}

Product Product::of(Value root) {
  Product product;
  collect(root, product, /*isRoot=*/true);
  return product;
}

Value Product::take(function_ref<bool(Value)> is) {
  auto it = llvm::find_if(leaves, is);
  if (it == leaves.end())
    return {};
  Value leaf = *it;
  leaves.erase(it);
  return leaf;
}

} // namespace froe

#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {

Value stripBroadcasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto reshape = dyn_cast<ReshapeOp>(op);
    bool addsUnits = reshape && mergedDims(reshape.getType().getShape(), reshape.getOperand().getType().getShape());
    if (!addsUnits && !isa<BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<double> splatValue(Value value) {
  while (value.getDefiningOp<ReshapeOp>() || value.getDefiningOp<BroadcastOp>())
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
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

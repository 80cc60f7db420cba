#include "dialects/Froe/Constants.h"

#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

std::optional<APFloat> numberOf(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !constant.isSplat() || !isa<FloatType>(constant.getType().getElementType()))
    return std::nullopt;
  return cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APFloat>();
}

} // namespace froe

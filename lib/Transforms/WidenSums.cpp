#include "froe/Transforms/Passes.h"

#include "dialects/Froe/Froe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {
#define GEN_PASS_DEF_WIDENSUMS
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isHalf(Value value) {
  Type element = typeOf(value).getElementType();
  return element.isF16() || element.isBF16();
}

Value castTo(OpBuilder &builder, Location loc, Value value, RankedTensorType type) {
  return CastOp::create(builder, loc, type, value);
}

/// Gives `result` the type f32, and its users what it was. A user that wants f32 gets the sum itself.
void roundBehind(Operation *op) {
  Value result = op->getResult(0);
  RankedTensorType half = typeOf(result), wide = half.clone(Float32Type::get(op->getContext()));
  result.setType(wide);
  SmallVector<CastOp> widenings;
  for (Operation *user : result.getUsers())
    if (auto cast = dyn_cast<CastOp>(user); cast && cast.getResult().getType() == wide)
      widenings.push_back(cast);
  if (widenings.size() == size_t(llvm::range_size(result.getUses()))) {
    for (CastOp cast : widenings) {
      cast.replaceAllUsesWith(result);
      cast.erase();
    }
    return;
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value rounded = castTo(builder, op->getLoc(), result, half);
  result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
}

bool sumsTerms(ContractOp op) {
  for (auto [letter, size] : llvm::zip(op.getLhsLetters(), typeOf(op.getLhs()).getShape()))
    if (size > 1 && !op.getResultLetters().contains(letter))
      return true;
  return false;
}

void widen(ReduceOp op) {
  OpBuilder builder(op);
  Value operand = op.getOperand();
  op.getOperandMutable().assign(castTo(builder, op.getLoc(), operand, typeOf(operand).clone(builder.getF32Type())));
  roundBehind(op);
}

struct WidenSums : impl::WidenSumsBase<WidenSums> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    for (ContractOp contract : llvm::to_vector(main.getOps<ContractOp>()))
      if (isHalf(contract.getResult()) && sumsTerms(contract))
        roundBehind(contract);
    for (ReduceOp reduce : llvm::to_vector(main.getOps<ReduceOp>()))
      if (isHalf(reduce.getResult()) && roundsEachTerm(reduce.getKind()))
        widen(reduce);
  }
};

} // namespace
} // namespace froe

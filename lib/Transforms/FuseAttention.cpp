#include "KernelFunctions.h"

#include "dialects/Froe/KernelDomain.h"
#include "dialects/Rank/AttentionShape.h"
#include "froe/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace froe {
#define GEN_PASS_DEF_FUSEATTENTION
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

/// A function of what the operations take from others, and these operands.
std::pair<func::FuncOp, SmallVector<Value>> outline(ArrayRef<Operation *> operations) {
  llvm::SetVector<Value> operands;
  for (Operation *op : operations)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !llvm::is_contained(operations, operand.getDefiningOp()))
        operands.insert(operand);
  Operation *last = operations.back();
  OpBuilder builder(last->getContext());
  auto type = builder.getFunctionType(TypeRange(operands.getArrayRef()), last->getResultTypes());
  auto function = func::FuncOp::create(builder, last->getLoc(), "attention", type);
  function.setPrivate();
  IRMapping mapping;
  mapping.map(operands.getArrayRef(), function.addEntryBlock()->getArguments());
  builder.setInsertionPointToStart(&function.getBody().front());
  for (Operation *op : operations)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, last->getLoc(), mapping.lookup(last->getResult(0)));
  KernelDomain domain;
  llvm::append_range(domain.outer, cast<RankedTensorType>(last->getResult(0).getType()).getShape());
  domain.writeTo(function);
  return {function, operands.takeVector()};
}

struct FuseAttention : impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    KernelFunctions functions(getOperation());
    for (auto values : llvm::to_vector(main.getOps<rank::MatmulOp>()))
      if (std::optional<rank::Attention> attention = rank::Attention::endingIn(values))
        if (rank::AttentionShape::of(*attention))
          fuse(attention->operations(), functions);
  }

  static void fuse(ArrayRef<Operation *> operations, KernelFunctions &functions) {
    auto [function, operands] = outline(operations);
    Operation *last = operations.back();
    OpBuilder builder(last);
    auto launch =
        rank::LaunchOp::create(builder, last->getLoc(), last->getResultTypes(), functions.shared(function), operands);
    last->replaceAllUsesWith(launch);
    for (Operation *op : llvm::reverse(operations))
      if (op->use_empty()) // others may use a constant
        op->erase();
  }
};

} // namespace
} // namespace froe

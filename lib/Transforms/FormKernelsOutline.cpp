#include "FormKernels.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace froe {
namespace {

/// The kernel is named after its most telling op.
std::string nameOf(ArrayRef<Operation *> ops) {
  auto weight = [](Operation *op) {
    if (isa<SoftmaxOp, NormalizeOp>(op))
      return 5;
    if (isa<GeluOp, SiluOp, GatherOp, GatherNdOp>(op))
      return 4;
    if (isa<ReduceOp, ConcatOp, TransposeOp, PadOp, WindowOp>(op))
      return 3;
    if (isa<SelectOp, TanhOp, ExpOp, SigmoidOp, PowOp>(op))
      return 2;
    return isa<rank::ViewOp, BroadcastOp, ConstantOp, SliceOp>(op) ? 0 : 1;
  };
  Operation *best = ops.back();
  for (Operation *op : llvm::reverse(ops))
    if (weight(op) > weight(best))
      best = op;
  return best->getName().stripDialect().str();
}

SmallVector<Operation *> inOrder(const KernelOps &ops) {
  SmallVector<Operation *> order(ops.getArrayRef());
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return order;
}

/// Inside kernels a view is a reshape.
void cloneInto(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  if (auto view = dyn_cast<rank::ViewOp>(op)) {
    Value operand = mapping.lookup(view.getOperand());
    auto reshape = ReshapeOp::create(builder, op->getLoc(), view.getType(), operand);
    mapping.map(view.getResult(), reshape.getResult());
    return;
  }
  builder.clone(*op, mapping);
}

/// Operands of a kernel: the same bytes under the same shape are one, through whichever views they come.
struct Operands {
  SmallVector<Value> values;
  llvm::DenseMap<Value, size_t> numbers;

  void add(Value operand) {
    Value base = operand;
    while (auto view = base.getDefiningOp<rank::ViewOp>())
      base = view.getOperand();
    auto [it, isNew] = known.try_emplace({base, operand.getType()}, values.size());
    if (isNew)
      values.push_back(operand);
    numbers[operand] = it->second;
  }

private:
  llvm::DenseMap<std::pair<Value, Type>, size_t> known;
};

} // namespace

OutlinedKernel outline(const KernelOps &ops, const KernelDomain &domain) {
  SmallVector<Operation *> order = inOrder(ops);
  Operands operands;
  for (Operation *op : order)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !ops.contains(operand.getDefiningOp()))
        operands.add(operand);
  SmallVector<Value> results = resultsOf(ops);
  OpBuilder builder(ops.front()->getContext());
  auto type = builder.getFunctionType(TypeRange(operands.values), TypeRange(results));
  auto function = func::FuncOp::create(builder, order.back()->getLoc(), nameOf(order), type);
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (auto [operand, number] : operands.numbers)
    mapping.map(operand, entry->getArgument(number));
  for (Operation *op : order)
    cloneInto(builder, op, mapping);
  SmallVector<Value> inner;
  for (Value result : results)
    inner.push_back(mapping.lookup(result));
  func::ReturnOp::create(builder, function.getLoc(), inner);
  collapseDims(function, domain);
  return {function, operands.values};
}

} // namespace froe

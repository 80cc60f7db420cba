#include "lib/Conversion/KernelsToLLVM/ValuesToKeep.h"

#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {
namespace {

/// Reading a kept value back costs two of these.
constexpr int kWorthKeeping = 3;

int costOf(Operation *op) {
  if (isa<ExpOp, LogOp, SinOp, CosOp, TanhOp, ErfOp, SigmoidOp, SiluOp, GeluOp, PowOp, DivOp, ModOp, SqrtOp,
          ReciprocalOp, GatherOp, GatherNdOp>(op))
    return 8;
  return op->hasTrait<OpTrait::Elementwise>() ? 1 : 0;
}

bool isOverRows(Operation *op) { return isa<ReduceOp, SoftmaxOp, NormalizeOp>(op); }

/// Counts in how many loops over the row each value is computed.
class LoopCount {
public:
  void addLoops(ValueRange roots, int loops) {
    llvm::DenseSet<Value> visited;
    SmallVector<Value> work(roots);
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!visited.insert(value).second)
        continue;
      count[value] += loops;
      Operation *op = value.getDefiningOp();
      if (auto normalize = dyn_cast_or_null<NormalizeOp>(op))
        work.push_back(normalize.getOperand());
      else if (op && !isOverRows(op))
        llvm::append_range(work, op->getOperands());
    }
  }
  int of(Value value) const { return count.lookup(value); }

private:
  llvm::DenseMap<Value, int> count;
};

int loopsOver(Operation *op) {
  auto normalize = dyn_cast<NormalizeOp>(op);
  return isa<SoftmaxOp>(op) || (normalize && normalize.getForm() == NormalizeForm::Layer) ? 2 : 1;
}

} // namespace

llvm::SetVector<Value> findValuesToKeep(func::FuncOp kernel, const KernelDomain &domain) {
  LoopCount loops;
  for (Operation &op : kernel.getBody().front())
    if (isOverRows(&op))
      loops.addLoops(op.getOperand(0), loopsOver(&op));
    else if (isa<func::ReturnOp>(op))
      loops.addLoops(op.getOperands(), 1);
  llvm::SetVector<Value> kept;
  llvm::DenseMap<Value, int> costs;
  SmallVector<int64_t> shape = domain.shape();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    Value value = op.getResult(0);
    int cost = isOverRows(&op) ? 1 : costOf(&op);
    for (Value operand : op.getOperands())
      cost += isa<BlockArgument>(operand) ? 1 : isOverRows(&op) ? 0 : costs.lookup(operand);
    bool isRow = shapeOf(value) == ArrayRef<int64_t>(shape) && !isOverRows(&op);
    if (isRow && loops.of(value) > 1 && cost >= kWorthKeeping) {
      kept.insert(value);
      cost = 1;
    }
    costs[value] = cost;
  }
  return kept;
}

} // namespace froe

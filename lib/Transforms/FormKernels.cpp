#include "FormKernels.h"
#include "KernelFunctions.h"

#include "dialects/Rank/Communication.h"
#include "froe/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

namespace froe {
#define GEN_PASS_DEF_FORMKERNELS
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {

bool isKernelOp(Operation *op) {
  return isa<rank::ViewOp>(op) || (isa<FroeDialect>(op->getDialect()) && !isa<WeightOp, MeshOp, ContractOp>(op));
}

bool isFree(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    constexpr int64_t kFewElements = 16;
    return isa<SplatElementsAttr>(constant.getValue()) || constant.getValue().getNumElements() <= kFewElements;
  }
  return isa<BroadcastOp, IotaOp, rank::ViewOp>(op);
}

SmallVector<Value> resultsOf(const KernelOps &ops) {
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !ops.contains(user); }))
        results.push_back(result);
  llvm::sort(results, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  return results;
}

namespace {

/// Softmax over another than the last dim: the dim moves to the end and back.
void moveSoftmaxToLastDim(SoftmaxOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t last = type.getRank() - 1;
  if (op.getDim() == last)
    return;
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation[op.getDim()], permutation[last]);
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[op.getDim()], shape[last]);
  OpBuilder builder(op);
  Value moved = TransposeOp::create(builder, op.getLoc(), type.clone(shape), op.getOperand(), permutation);
  Value softmax = SoftmaxOp::create(builder, op.getLoc(), moved.getType(), moved, last);
  Value back = TransposeOp::create(builder, op.getLoc(), type, softmax, permutation);
  op.replaceAllUsesWith(back);
  op->erase();
}

/// Gives each kernel op its own copy of operands that cost nothing to compute.
void cloneFreeOps(Block &block) {
  for (Operation *op = block.getTerminator(); op; op = op->getPrevNode()) { // sees the copies made on the way
    if (!isKernelOp(op))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || !isFree(producer) || operand.get().hasOneUse())
        continue;
      OpBuilder builder(producer);
      builder.setInsertionPointAfter(producer);
      operand.set(builder.clone(*producer)->getResult(0));
    }
  }
}

/// What a value is, behind views.
Value withoutViews(Value value) {
  while (auto view = value.getDefiningOp<rank::ViewOp>())
    value = view.getOperand();
  return value;
}

/// Launches of kernels, each distinct one with a function.
class Kernels {
public:
  explicit Kernels(ModuleOp module) : functions(module) {}

  void launch(const OutlinedKernel &kernel, const KernelOps &ops) {
    Operation *last = ops.front();
    for (Operation *op : ops)
      if (last->isBeforeInBlock(op))
        last = op;
    OpBuilder builder(last);
    SmallVector<Value> results = resultsOf(ops);
    auto launch = rank::LaunchOp::create(builder, last->getLoc(), TypeRange(results), functions.shared(kernel.function),
                                         kernel.operands);
    for (auto [old, result] : llvm::zip(results, launch.getResults()))
      old.replaceUsesWithIf(result, [&](OpOperand &use) { return !ops.contains(use.getOwner()); });
  }

  /// A launch that copies `value` to a buffer of its own.
  Value copy(OpBuilder &builder, Location loc, Value value) {
    auto type = builder.getFunctionType(value.getType(), value.getType());
    auto function = func::FuncOp::create(loc, "copy", type);
    function.setPrivate();
    Block *entry = function.addEntryBlock();
    OpBuilder inside(builder.getContext());
    inside.setInsertionPointToStart(entry);
    func::ReturnOp::create(inside, loc, entry->getArguments());
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    collapseDims(function, {SmallVector<int64_t>(shape), {}});
    return rank::LaunchOp::create(builder, loc, value.getType(), functions.shared(function), value).getResult(0);
  }

private:
  KernelFunctions functions;
};

/// Whether a value lies outside the arena.
bool isWeightOrConstant(Value value) {
  return isa_and_nonnull<WeightOp, ConstantOp>(withoutViews(value).getDefiningOp());
}

/// What other ranks read must lie in the arena: weights and constants are copied there first.
void copySentWeights(func::FuncOp main, Kernels &kernels) {
  llvm::DenseMap<Value, Value> copies;
  for (Operation &op : main.getBody().front()) {
    if (!rank::sendsFromArena(&op) || !isWeightOrConstant(op.getOperand(0)))
      continue;
    Value &copy = copies[op.getOperand(0)];
    OpBuilder builder(&op);
    if (!copy)
      copy = kernels.copy(builder, op.getLoc(), op.getOperand(0));
    op.setOperand(0, copy);
  }
}

/// Every result of the program gets a buffer that no other value has.
void copySharedResults(func::FuncOp main, Kernels &kernels) {
  Operation *terminator = main.getBody().front().getTerminator();
  llvm::DenseSet<Value> taken;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value source = withoutViews(operand.get());
    bool isOwned = !isa<BlockArgument>(source) && !isWeightOrConstant(source);
    if (isOwned && taken.insert(source).second)
      continue;
    OpBuilder builder(terminator);
    operand.set(kernels.copy(builder, terminator->getLoc(), operand.get()));
  }
}

void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

struct FormKernels : impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    Block &block = main.getBody().front();
    eraseUnused(block);
    for (SoftmaxOp softmax : llvm::to_vector(main.getOps<SoftmaxOp>()))
      moveSoftmaxToLastDim(softmax);
    cloneFreeOps(block);
    std::vector<KernelOps> groups = groupOps(block);
    Kernels kernels(getOperation());
    for (const KernelOps &group : groups) {
      std::optional<KernelDomain> domain = findDomain(group);
      if (!domain) {
        group.front()->emitError("expected an operation that a kernel can compute");
        return signalPassFailure();
      }
      kernels.launch(outline(group, *domain), group);
    }
    sortTopologically(&block);
    eraseUnused(block);
    copySentWeights(main, kernels);
    copySharedResults(main, kernels);
  }
};

} // namespace
} // namespace froe

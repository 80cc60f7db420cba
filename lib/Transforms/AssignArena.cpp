#include "dialects/Rank/Communication.h"
#include "froe/Planning/ArenaLayout.h"
#include "froe/Transforms/Passes.h"

namespace froe {
#define GEN_PASS_DEF_ASSIGNARENA
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// The value whose buffer `value` is.
Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<rank::ViewOp>())
    value = view.getOperand();
  return value;
}

bool isStep(Operation *op) { return op->getNumResults() > 0 && !isa<WeightOp, ConstantOp, rank::ViewOp>(op); }

/// Collectives whose result may overwrite their operand.
bool worksInPlace(Operation *op) { return isa<rank::AllReduceOp, rank::MaskOp>(op); }

/// Buffers of one function, by root value.
struct Buffers {
  std::vector<Buffer> list;
  DenseMap<Value, int> indexOf;

  void define(Value value, int64_t step) {
    indexOf[value] = list.size();
    list.push_back({bytesOf(value), step, step, 0});
  }
  Buffer *find(Value root) {
    auto found = indexOf.find(root);
    return found == indexOf.end() ? nullptr : &list[found->second];
  }
  /// A use of `value` by `step`.
  void use(Value value, int64_t step) {
    if (Buffer *buffer = find(rootOf(value)))
      buffer->last = std::max(buffer->last, step);
  }
};

int64_t lastUse(Value root, const DenseMap<Operation *, int64_t> &stepOf) {
  int64_t last = -1;
  for (Operation *user : root.getUsers())
    last = std::max(last, isa<rank::ViewOp>(user) ? lastUse(user->getResult(0), stepOf) : stepOf.lookup(user));
  return last;
}

/// An operand dies at the step that works in place, and its buffer lives on as the result's.
void shareInPlace(Operation *op, int64_t step, Buffers &buffers, const DenseMap<Operation *, int64_t> &stepOf) {
  Value operand = rootOf(op->getOperand(0)), result = op->getResult(0);
  auto found = buffers.indexOf.find(operand);
  if (found != buffers.indexOf.end() && lastUse(operand, stepOf) == step) {
    buffers.indexOf[result] = found->second;
    return;
  }
  buffers.define(result, step);
}

LogicalResult collect(Block &block, Buffers &buffers) {
  DenseMap<Operation *, int64_t> stepOf;
  for (auto [step, op] : llvm::enumerate(block))
    stepOf[&op] = step;
  for (Value argument : block.getArguments())
    buffers.define(argument, -1);
  for (auto [step, op] : llvm::enumerate(block)) {
    if (isa<rank::ViewOp>(op))
      continue;
    if (isStep(&op) && !isa<rank::RankDialect>(op.getDialect()))
      return op.emitError("expected a step in @main, found '") << op.getName() << "'";
    for (Value operand : op.getOperands())
      buffers.use(operand, step);
    if (rank::sendsFromArena(&op) && !buffers.find(rootOf(op.getOperand(0))))
      return op.emitError("expected a value in the arena, found a weight or constant as operand of a collective");
    if (!isStep(&op))
      continue;
    if (worksInPlace(&op))
      shareInPlace(&op, step, buffers, stepOf);
    else
      for (Value result : op.getResults())
        buffers.define(result, step);
  }
  // Outputs are read after the last step.
  for (Value output : block.getTerminator()->getOperands()) {
    Buffer *buffer = buffers.find(rootOf(output));
    if (!buffer)
      return block.getTerminator()->emitError("expected outputs in the arena, found a weight or constant");
    buffer->last = std::numeric_limits<int64_t>::max();
  }
  return success();
}

void annotate(func::FuncOp main, Buffers &buffers, int64_t arenaBytes) {
  Builder builder(main.getContext());
  for (BlockArgument argument : main.getArguments())
    main.setArgAttr(argument.getArgNumber(), "rank.offset", builder.getI64IntegerAttr(buffers.find(argument)->offset));
  for (Operation &op : main.getBody().front()) {
    if (!isStep(&op))
      continue;
    SmallVector<int64_t> offsets;
    for (Value result : op.getResults())
      offsets.push_back(buffers.find(result)->offset);
    op.setAttr(rank::RankDialect::kOffsets, builder.getDenseI64ArrayAttr(offsets));
  }
  main->setAttr(rank::RankDialect::kArenaBytes, builder.getI64IntegerAttr(arenaBytes));
}

struct AssignArena : impl::AssignArenaBase<AssignArena> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    Buffers buffers;
    if (failed(collect(main.getBody().front(), buffers)))
      return signalPassFailure();
    annotate(main, buffers, layOut(buffers.list));
  }
};

} // namespace
} // namespace froe

#include "ArenaBuffers.h"

#include "dialects/Rank/Communication.h"

using namespace mlir;

namespace froe {

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

bool isStep(Operation *op) { return op->getNumResults() > 0 && !isa<WeightOp, ConstantOp, rank::ViewOp>(op); }

Value bufferRoot(Value value) {
  while (auto view = value.getDefiningOp<rank::ViewOp>())
    value = view.getOperand();
  return value;
}

void ArenaBuffers::define(Value value, int64_t step) {
  indexOf[value] = list.size();
  list.push_back({bytesOf(value), step, step, 0});
}

Buffer *ArenaBuffers::find(Value root) {
  auto found = indexOf.find(root);
  return found == indexOf.end() ? nullptr : &list[found->second];
}

void ArenaBuffers::use(Value value, int64_t step) {
  if (Buffer *buffer = find(bufferRoot(value)))
    buffer->last = std::max(buffer->last, step);
}

namespace {

/// Collectives whose result may overwrite their operand.
bool worksInPlace(Operation *op) { return isa<rank::AllReduceOp, rank::MaskOp>(op); }

/// The last step that reads `root`, a collective until it is complete; of the reader `except` only its own step.
int64_t lastUse(Value root, Operation *except, const DenseMap<Operation *, int64_t> &stepOf) {
  int64_t last = -1;
  for (Operation *user : root.getUsers()) {
    rank::WaitOp wait = rank::sendsFromArena(user) && user != except ? rank::waitOf(user) : rank::WaitOp();
    last = std::max(last, isa<rank::ViewOp>(user) ? lastUse(user->getResult(0), except, stepOf)
                                                  : stepOf.lookup(wait ? wait : user));
  }
  return last;
}

} // namespace

/// An operand dies at the step that works in place, and its buffer lives on as the result's.
void ArenaBuffers::defineInPlace(Operation *op, int64_t step, const DenseMap<Operation *, int64_t> &stepOf) {
  Value operand = bufferRoot(op->getOperand(0));
  auto found = indexOf.find(operand);
  if (found != indexOf.end() && lastUse(operand, op, stepOf) == step)
    indexOf[op->getResult(0)] = found->second;
  else
    define(op->getResult(0), step);
}

LogicalResult ArenaBuffers::collect(Block &block) {
  DenseMap<Operation *, int64_t> stepOf;
  for (auto [step, op] : llvm::enumerate(block))
    stepOf[&op] = step;
  for (Value argument : block.getArguments())
    define(argument, -1);
  for (auto [step, op] : llvm::enumerate(block)) {
    if (isa<rank::ViewOp>(op))
      continue;
    if (isStep(&op) && !isa<rank::RankDialect>(op.getDialect()))
      return op.emitError("expected a step in @main, found '") << op.getName() << "'";
    for (Value operand : op.getOperands())
      use(operand, step);
    if (auto wait = dyn_cast<rank::WaitOp>(op))
      use(wait.getCollective().getDefiningOp()->getOperand(0), step);
    if (rank::sendsFromArena(&op) && !find(bufferRoot(op.getOperand(0))))
      return op.emitError("expected a value in the arena, found a weight or constant as operand of a collective");
    if (!isStep(&op))
      continue;
    if (worksInPlace(&op))
      defineInPlace(&op, step, stepOf);
    else
      for (Value result : op.getResults())
        define(result, step);
  }
  // Outputs are read after the last step.
  for (Value output : block.getTerminator()->getOperands()) {
    Buffer *buffer = find(bufferRoot(output));
    if (!buffer)
      return block.getTerminator()->emitError("expected outputs in the arena, found a weight or constant");
    buffer->last = std::numeric_limits<int64_t>::max();
  }
  return success();
}

} // namespace froe

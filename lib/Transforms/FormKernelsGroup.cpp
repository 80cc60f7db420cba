// Which operations become one kernel.
#include "FormKernels.h"

using namespace mlir;

namespace froe {
namespace {

constexpr size_t kMaxOps = 64;
constexpr size_t kMaxBuffers = 24;

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
int64_t sizeOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Costs many times what reading its result from memory does.
bool isExpensive(Operation *op) {
  return isa<ExpOp, LogOp, SinOp, CosOp, TanhOp, ErfOp, SigmoidOp, SiluOp, GeluOp, PowOp, DivOp, ModOp, SqrtOp,
             ReciprocalOp>(op);
}
bool isOverRows(Operation *op) { return isa<SoftmaxOp, NormalizeOp, ReduceOp>(op); }

/// Grows kernels from the end of the program: each takes in producers of its operands as long as they can share its
/// loops.
class Grouping {
public:
  explicit Grouping(Block &block) : block(block) {}

  std::vector<KernelOps> run() {
    for (Operation &op : llvm::reverse(block))
      if (isKernelOp(&op) && !isa<rank::ViewOp, ConstantOp>(op) && !groupOf.contains(&op) && !op.use_empty())
        grow(&op);
    return std::move(groups);
  }

private:
  void grow(Operation *root) {
    KernelOps group;
    group.insert(root);
    addToGroup(root, groups.size());
    groups.push_back(group);
    KernelOps &ops = groups.back();
    llvm::DenseSet<Operation *> refused;
    while (Operation *candidate = nextCandidate(ops, refused)) {
      KernelOps larger = withProducer(ops, candidate);
      if (!isAdmissible(ops, larger, candidate)) {
        refused.insert(candidate);
        continue;
      }
      for (Operation *op : larger)
        addToGroup(op, groups.size() - 1);
      ops = std::move(larger);
    }
  }

  void addToGroup(Operation *op, size_t group) { groupOf[op] = group; }

  /// What a value is computed by, behind views.
  static Operation *producerOf(Value value) {
    Operation *op = value.getDefiningOp();
    while (isa_and_nonnull<rank::ViewOp>(op))
      op = op->getOperand(0).getDefiningOp();
    return op && isKernelOp(op) ? op : nullptr;
  }

  /// The last producer that is not yet decided: all its users are.
  Operation *nextCandidate(const KernelOps &ops, const llvm::DenseSet<Operation *> &refused) {
    Operation *last = nullptr;
    for (Operation *op : ops)
      for (Value operand : op->getOperands()) {
        Operation *producer = producerOf(operand);
        if (producer && !ops.contains(producer) && !refused.contains(producer) && !groupOf.contains(producer) &&
            (!last || last->isBeforeInBlock(producer)))
          last = producer;
      }
    return last;
  }

  /// The group with the producer and the views between them.
  static KernelOps withProducer(const KernelOps &ops, Operation *producer) {
    KernelOps larger = ops;
    larger.insert(producer);
    for (Operation *op : ops)
      for (Value operand : op->getOperands()) {
        if (producerOf(operand) != producer)
          continue;
        for (Operation *view = operand.getDefiningOp(); view != producer; view = view->getOperand(0).getDefiningOp())
          larger.insert(view);
      }
    return larger;
  }

  bool isAdmissible(const KernelOps &ops, const KernelOps &larger, Operation *producer) {
    if (isa<ConstantOp>(producer) && !isFree(producer))
      return false;
    if (isSeenThroughWindows(ops, producer))
      return false;
    if (larger.size() > kMaxOps || countBuffers(larger) > kMaxBuffers)
      return false;
    std::optional<KernelDomain> domain = findDomain(larger);
    if (!domain || repeatsWork(*domain, ops, producer))
      return false;
    SmallVector<Operation *> outside;
    for (Operation *op : larger)
      if (!ops.contains(op))
        for (Operation *user : op->getUsers())
          if (!larger.contains(user))
            outside.push_back(user);
    if (outside.empty())
      return true;
    return isWorthStoring(producer, *domain) && !reaches(outside, larger);
  }

  /// Windows see an element several times: it is computed once, before, and padding stands beside it in memory.
  static bool isSeenThroughWindows(const KernelOps &ops, Operation *producer) {
    return !isFree(producer) && llvm::any_of(ops, [&](Operation *op) {
      return isa<WindowOp>(op) && producerOf(op->getOperand(0)) == producer;
    });
  }

  static size_t countBuffers(const KernelOps &ops) {
    llvm::DenseSet<Value> operands;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() || !ops.contains(operand.getDefiningOp()))
          operands.insert(operand);
    return operands.size() + resultsOf(ops).size();
  }

  /// Whether the producer would be computed again and again, at a price.
  static bool repeatsWork(const KernelDomain &domain, const KernelOps &ops, Operation *producer) {
    if (isOverRows(producer))
      return false;
    int64_t size = sizeOf(producer->getResult(0)), uses = 0;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        uses += producerOf(operand) == producer && !op->hasTrait<OpTrait::Elementwise>() && !isOverRows(op);
    int64_t points = domain.extent();
    bool isRepeated = (size < points * domain.rowSize() && size < points) ||
                      (size < points * domain.rowSize() && size > points) || uses > 1;
    return isRepeated && isExpensive(producer);
  }

  /// A value that others need too is a second result if the kernel computes each of its elements once.
  static bool isWorthStoring(Operation *producer, const KernelDomain &domain) {
    ArrayRef<int64_t> shape = shapeOf(producer->getResult(0));
    if (shape != ArrayRef<int64_t>(domain.shape()) && shape != ArrayRef<int64_t>(domain.outer))
      return false;
    return producer->hasTrait<OpTrait::Elementwise>() || isOverRows(producer);
  }

  /// Whether one of `from`, outside of the group, comes before one of its ops. Kernels that are formed already count as
  /// one op.
  bool reaches(ArrayRef<Operation *> from, const KernelOps &target) {
    SmallVector<Operation *> work(from);
    llvm::DenseSet<Operation *> visited;
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (target.contains(op))
        return true;
      if (!visited.insert(op).second)
        continue;
      llvm::append_range(work, op->getUsers());
      if (auto group = groupOf.find(op); group != groupOf.end())
        for (Operation *other : groups[group->second])
          work.push_back(other);
    }
    return false;
  }

  Block &block;
  std::vector<KernelOps> groups;
  llvm::DenseMap<Operation *, size_t> groupOf;
};

} // namespace

std::vector<KernelOps> groupOps(Block &block) { return Grouping(block).run(); }

} // namespace froe

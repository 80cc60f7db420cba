#include "ArenaBuffers.h"

#include "dialects/Rank/Communication.h"
#include "froe/Transforms/Passes.h"

#include <map>

namespace froe {
#define GEN_PASS_DEF_SCHEDULECOLLECTIVES
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

constexpr int kWindow = 256;                      // steps that a collective moves up at most
constexpr double kShares[] = {1, 0.97, 0.9, 0.8}; // of the arena that may be alive, for packing that leaves gaps

/// The largest sum of bytes that are alive at one time.
int64_t peakBytes(ArrayRef<Buffer> buffers) {
  std::map<int64_t, int64_t> changes;
  for (const Buffer &buffer : buffers) {
    changes[buffer.first] += buffer.bytes;
    if (buffer.last != std::numeric_limits<int64_t>::max())
      changes[buffer.last + 1] -= buffer.bytes;
  }
  int64_t alive = 0, peak = 0;
  for (auto [step, change] : changes)
    peak = std::max(peak, alive += change);
  return peak;
}

/// The first operation that reads what `value` is, looking through views; the terminator does at the end.
Operation *firstUser(Value value, Operation *except) {
  Operation *first = value.getParentBlock()->getTerminator();
  for (Operation *user : value.getUsers()) {
    Operation *reader = isa<rank::ViewOp>(user) ? firstUser(user->getResult(0), except) : user;
    if (reader != except && reader->isBeforeInBlock(first))
      first = reader;
  }
  return first;
}

/// The order of a block's operations, to return to.
class SavedOrder {
public:
  explicit SavedOrder(Block &block) : block(block) {
    for (Operation &op : block)
      order.push_back(&op);
  }
  void restore() {
    for (Operation *op : order)
      op->moveBefore(&block, block.end());
  }

private:
  Block &block;
  std::vector<Operation *> order;
};

class Scheduler {
public:
  Scheduler(Block &block, int64_t limit) : block(block), limit(limit) {}

  void run() {
    Operation *previous = nullptr;
    for (Operation &op : llvm::make_early_inc_range(block))
      if (rank::sendsFromArena(&op))
        schedule(&op, std::exchange(previous, &op));
  }

private:
  Block &block;
  int64_t limit;

  bool fits() {
    ArenaBuffers buffers;
    return succeeded(buffers.collect(block)) && peakBytes(buffers.list) <= limit;
  }

  /// What moves with a collective, in order: a copy of a weight can be made at any time.
  SmallVector<Operation *> movedWith(Operation *collective) {
    SmallVector<Operation *> moved;
    auto copy = collective->getOperand(0).getDefiningOp<rank::LaunchOp>();
    auto isFixed = [](Value value) {
      Operation *root = bufferRoot(value).getDefiningOp();
      return isa_and_nonnull<WeightOp, ConstantOp>(root);
    };
    if (copy && copy->hasOneUse() && llvm::all_of(copy.getOperands(), isFixed))
      moved.push_back(copy);
    moved.push_back(collective);
    return moved;
  }

  /// The steps before which the collective could start, the nearest first.
  SmallVector<Operation *> placesAbove(ArrayRef<Operation *> moved, Operation *previous) {
    SmallVector<Operation *> places;
    auto isNeeded = [&](Operation *op) {
      return llvm::any_of(moved.front()->getOperands(), [&](Value value) { return value.getDefiningOp() == op; });
    };
    for (Operation *op = moved.front()->getPrevNode(); op && op != previous && !isNeeded(op) && places.size() < kWindow;
         op = op->getPrevNode())
      if (isStep(op))
        places.push_back(op);
    return places;
  }

  void schedule(Operation *collective, Operation *previous) {
    OpBuilder builder(collective);
    builder.setInsertionPointAfter(collective);
    Operation *wait = rank::WaitOp::create(builder, collective->getLoc(), collective->getResult(0));
    Operation *near = wait->getNextNode();
    wait->moveBefore(firstUser(collective->getResult(0), wait));
    if (!fits())
      wait->moveBefore(near);
    SmallVector<Operation *> moved = movedWith(collective);
    SmallVector<Operation *> places = placesAbove(moved, previous);
    Operation *home = collective->getNextNode();
    auto moveTo = [&](Operation *place) {
      for (Operation *op : moved)
        op->moveBefore(place);
    };
    for (size_t count = places.size(); count > 0; count /= 2) { // half as far, and again
      moveTo(places[count - 1]);
      if (fits())
        break;
      moveTo(home);
    }
    bool hides = false;
    for (Operation *op = collective->getNextNode(); op != wait; op = op->getNextNode())
      hides = hides || isStep(op);
    if (!hides)
      wait->erase();
  }
};

struct ScheduleCollectives : impl::ScheduleCollectivesBase<ScheduleCollectives> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    Block &block = main.getBody().front();
    for (auto view : llvm::to_vector(block.getOps<rank::ViewOp>())) // so that none stands in the way of what moves
      if (Operation *producer = view.getOperand().getDefiningOp())
        view->moveAfter(producer);
      else
        view->moveBefore(&block, block.begin());
    FailureOr<int64_t> bytes = arenaBytes(block);
    if (failed(bytes))
      return signalPassFailure();
    SavedOrder order(block);
    for (double share : kShares) {
      Scheduler(block, int64_t(double(*bytes) * share)).run();
      FailureOr<int64_t> scheduled = arenaBytes(block);
      if (succeeded(scheduled) && *scheduled <= *bytes)
        return;
      for (auto wait : llvm::to_vector(block.getOps<rank::WaitOp>()))
        wait->erase();
      order.restore();
    }
  }

  static FailureOr<int64_t> arenaBytes(Block &block) {
    ArenaBuffers buffers;
    if (failed(buffers.collect(block)))
      return failure();
    return layOut(buffers.list);
  }
};

} // namespace
} // namespace froe

#include "dialects/Froe/Froe.h"
#include "froe/Transforms/Passes.h"

namespace froe {
#define GEN_PASS_DEF_UNSHAREREPEATS
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

bool isRepeat(Operation &op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return isa<BroadcastOp>(op) || (constant && constant.isSplat());
}

/// Whether kernels repeat for `user` what it reads, rather than find it in memory.
bool repeatsItself(Operation *user) {
  return user->hasTrait<OpTrait::Elementwise>() || isa<BroadcastOp, SoftmaxOp, NormalizeOp, ReduceOp>(user);
}

/// A copy before each user that repeats. It is named after its user, since it belongs to it.
void unshare(Operation *op) {
  SetVector<Operation *> users(op->user_begin(), op->user_end());
  if (llvm::all_of(users, repeatsItself))
    users.pop_back(); // keeps the original
  for (Operation *user : users) {
    if (!repeatsItself(user))
      continue;
    OpBuilder builder(user);
    Operation *copy = builder.clone(*op);
    copy->setLoc(user->getLoc());
    user->replaceUsesOfWith(op->getResult(0), copy->getResult(0));
  }
}

struct UnshareRepeats : impl::UnshareRepeatsBase<UnshareRepeats> {
  void runOnOperation() override {
    SmallVector<Operation *> repeats;
    getOperation().walk([&](Operation *op) {
      if (isRepeat(*op) && !op->use_empty())
        repeats.push_back(op);
    });
    // Users first: a copied broadcast is another user of what it repeats.
    for (Operation *op : llvm::reverse(repeats))
      unshare(op);
  }
};

} // namespace
} // namespace froe

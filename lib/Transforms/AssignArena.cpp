#include "ArenaBuffers.h"

#include "froe/Transforms/Passes.h"

namespace froe {
#define GEN_PASS_DEF_ASSIGNARENA
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

void annotate(func::FuncOp main, ArenaBuffers &buffers, int64_t arenaBytes) {
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
    ArenaBuffers buffers;
    if (failed(buffers.collect(main.getBody().front())))
      return signalPassFailure();
    annotate(main, buffers, layOut(buffers.list));
  }
};

} // namespace
} // namespace froe

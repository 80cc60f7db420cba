#include "dialects/Froe/Froe.h"
#include "froe/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace froe {
#define GEN_PASS_DEF_SIMPLIFY
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;
using namespace froe;

namespace {

struct Simplify : froe::impl::SimplifyBase<Simplify> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    for (Dialect *dialect : getContext().getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

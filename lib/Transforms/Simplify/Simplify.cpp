#include "lib/Transforms/Simplify/Patterns.h"

#include "froe/Transforms/Passes.h"

#include "mlir/Transforms/CSE.h"
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
    ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    TransposeOp::getCanonicalizationPatterns(patterns, &getContext());
    populateReshapePatterns(patterns);
    populateContractionPatterns(patterns);
    populateProjectionPatterns(patterns);
    populateActivationPatterns(patterns);
    populateNormalizationPatterns(patterns);
    populateRepeatPatterns(patterns);
    // Each pattern moves reshapes and transposes one way only, so the rewriting ends; the limit is for mistakes.
    int64_t operations = 0;
    getOperation().walk([&](Operation *) { ++operations; });
    GreedyRewriteConfig config;
    config.setMaxIterations(20);
    config.setMaxNumRewrites(1000 + 20 * operations);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return emitError(getOperation().getLoc(), "simplification did not come to an end"), signalPassFailure();
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace

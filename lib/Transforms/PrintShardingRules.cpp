#include "froe/Transforms/Passes.h"

#include "dialects/Froe/Froe.h"

using namespace mlir;

namespace froe {

#define GEN_PASS_DEF_PRINTSHARDINGRULES
#include "lib/Transforms/Passes.h.inc"

namespace {
struct PrintShardingRules : impl::PrintShardingRulesBase<PrintShardingRules> {
  using PrintShardingRulesBase::PrintShardingRulesBase;

  void runOnOperation() override {
    getOperation()->walk([&](ShardableOpInterface op) {
      Rule rule = op.getShardingRule();
      if (auto why = rule.check(shapesOf(op->getOperands()), shapesOf(op->getResults()))) {
        op->emitError("malformed sharding rule: ") << *why << ": " << rule.str();
        return signalPassFailure();
      }
      llvm::outs() << op->getName() << ": " << rule.str() << "\n";
    });
  }
};
} // namespace

} // namespace froe

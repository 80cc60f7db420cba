#include "froe/Transforms/ApplyPlan.h"
#include "froe/Transforms/Passes.h"

#include "dialects/Froe/Froe.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace froe {

#define GEN_PASS_DEF_APPLYPLAN
#include "lib/Transforms/Passes.h.inc"

namespace {

class PlanWriter {
public:
  PlanWriter(ModuleOp module, const Mesh &mesh) : module(module), mesh(mesh), builder(module.getContext()) {
    builder.setInsertionPointToStart(module.getBody());
  }

  void addMesh() {
    SmallVector<StringRef> names;
    SmallVector<int64_t> sizes;
    for (const MeshAxis &axis : mesh.axes) {
      names.push_back(axis.name);
      sizes.push_back(axis.size);
    }
    MeshOp::create(builder, module.getLoc(), "mesh", builder.getStrArrayAttr(names), sizes);
  }

  ShardingAttr attribute(const Sharding &sharding) {
    return ShardingAttr::get(module.getContext(), FlatSymbolRefAttr::get(module.getContext(), "mesh"), mesh, sharding);
  }

  ArrayAttr attributes(const std::vector<Sharding> &shardings) {
    SmallVector<Attribute> all;
    for (const Sharding &sharding : shardings)
      all.push_back(attribute(sharding));
    return builder.getArrayAttr(all);
  }

private:
  ModuleOp module;
  const Mesh &mesh;
  OpBuilder builder;
};

struct ApplyPlan : impl::ApplyPlanBase<ApplyPlan> {
  using ApplyPlanBase::ApplyPlanBase;

  void runOnOperation() override {
    std::expected<PlanResult, std::string> result = choose();
    if (!result) {
      getOperation().emitError(result.error());
      return signalPassFailure();
    }
    if (failed(report(*result)))
      return signalPassFailure();
    applyPlan(getOperation(), *result);
  }

  std::expected<PlanResult, std::string> choose() {
    std::expected<Mesh, std::string> parsed = Mesh::parse(mesh.getValue());
    if (!parsed)
      return std::unexpected(parsed.error());
    std::expected<Cluster, std::string> machines = Cluster::load(cluster);
    if (!machines)
      return std::unexpected(machines.error());
    PlanOptions options;
    options.constrain = constrain;
    options.planFile = planFile;
    options.memoryBytes = memory;
    options.alternatives = !save.empty();
    return plan(getOperation(), *parsed, *machines, options);
  }

  LogicalResult report(const PlanResult &result) {
    if (save.empty())
      return success();
    std::error_code error;
    llvm::raw_fd_ostream file(save, error);
    if (error)
      return getOperation().emitError("cannot write '") << save << "': " << error.message();
    file << planToJson(result).dump(2) << "\n";
    return success();
  }
};

} // namespace

void applyPlan(ModuleOp module, const PlanResult &plan) {
  PlanWriter writer(module, plan.mesh);
  writer.addMesh();
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, decision] : llvm::enumerate(plan.inputs))
    main.setArgAttr(i, FroeDialect::kSharding, writer.attribute(decision.strategy.results[0]));
  for (auto [i, decision] : llvm::enumerate(plan.outputs))
    main.setResultAttr(i, FroeDialect::kSharding, writer.attribute(decision.strategy.results[0]));
  for (auto [op, decision] : llvm::zip_equal(main.getBody().front().without_terminator(), plan.ops)) {
    op.setAttr(FroeDialect::kOperandShardings, writer.attributes(decision.strategy.operands));
    op.setAttr(FroeDialect::kResultShardings, writer.attributes(decision.strategy.results));
  }
}

void annotateCosts(ModuleOp module, const PlanResult &plan) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [op, decision] : llvm::zip_equal(main.getBody().front().without_terminator(), plan.ops)) {
    std::string text = decision.text;
    for (auto [what, seconds] : {std::pair("compute", decision.computeSeconds),
                                 {"combine", decision.communicationSeconds},
                                 {"reshard", decision.reshardSeconds}})
      if (seconds > 0)
        text += llvm::formatv(", {0} {1:f1} us", what, seconds * 1e6).str();
    if (decision.bytes > 0)
      text += llvm::formatv(", {0} bytes", decision.bytes).str();
    op.setAttr("froe.cost", StringAttr::get(module.getContext(), text));
  }
}

} // namespace froe

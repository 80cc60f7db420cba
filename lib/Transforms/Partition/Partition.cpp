#include "CheckPlan.h"
#include "GatherRows.h"
#include "Padding.h"
#include "ValueVersions.h"

#include "froe/Cost/Collectives.h"
#include "froe/Transforms/Passes.h"

#include "dialects/Rank/Rank.h"

using namespace mlir;

namespace froe {

#define GEN_PASS_DEF_PARTITION
#include "lib/Transforms/Passes.h.inc"

namespace {

class Partitioner {
public:
  Partitioner(func::FuncOp main, const Mesh &mesh, const Cluster &cluster)
      : main(main), mesh(mesh), planner(mesh, stepCost(cluster.withDevices(mesh.deviceCount()), mesh)) {}

  LogicalResult run() {
    if (failed(checkPlan(main, mesh)))
      return failure();
    readPlan();
    for (BlockArgument argument : main.getArguments())
      if (failed(partitionArgument(argument)))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front().without_terminator()))
      if (failed(partitionOp(&op)))
        return failure();
    partitionResults();
    return success();
  }

private:
  // What the plan says, read before any type changes.

  void readPlan() {
    for (BlockArgument argument : main.getArguments())
      types[argument] = cast<RankedTensorType>(argument.getType());
    for (Operation &op : main.getBody().front()) {
      for (OpResult result : op.getResults())
        types[result] = cast<RankedTensorType>(result.getType());
      readNeeds(&op);
    }
  }

  void readNeeds(Operation *op) {
    std::vector<Sharding> shardings =
        op->hasTrait<OpTrait::IsTerminator>() ? resultShardings() : shardingsIn(op, FroeDialect::kOperandShardings);
    for (auto [operand, sharding] : llvm::zip(op->getOperands(), shardings))
      needs[operand].push_back(sharding);
    if (auto gather = dyn_cast<GatherOp>(op))
      rowsOf[gather] = gather.getOperand().getType().getDimSize(gather.getDim());
    if (auto shardable = dyn_cast<ShardableOpInterface>(op))
      readPaddings(shardable, shardings);
  }

  void readPaddings(ShardableOpInterface op, const std::vector<Sharding> &shardings) {
    Rule rule = op.getShardingRule();
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      for (int64_t dim = 0; dim < types[operand].getRank(); ++dim)
        if (isUneven(types[operand].getShape(), shardings[i], mesh, dim))
          if (TypedAttr value = paddingFor(op, rule, i, dim))
            paddings[op].push_back({static_cast<unsigned>(i), dim, value});
  }

  std::vector<Sharding> shardingsIn(Operation *op, StringRef name) const {
    std::vector<Sharding> shardings;
    for (auto attribute : op->getAttrOfType<ArrayAttr>(name).getAsRange<ShardingAttr>())
      shardings.push_back(attribute.toSharding(mesh));
    return shardings;
  }

  std::vector<Sharding> resultShardings() {
    std::vector<Sharding> shardings;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      shardings.push_back(main.getResultAttrOfType<ShardingAttr>(i, FroeDialect::kSharding).toSharding(mesh));
    return shardings;
  }

  // Global to local.

  LogicalResult partitionArgument(BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    Sharding sharding = main.getArgAttrOfType<ShardingAttr>(index, FroeDialect::kSharding).toSharding(mesh);
    main.setArgAttr(index, FroeDialect::kGlobalType, TypeAttr::get(types[argument]));
    argument.setType(localType(types[argument], sharding, mesh));
    return addVersions(argument, argument, sharding, main);
  }

  LogicalResult addVersions(Value global, Value local, const Sharding &sharding, Operation *op) {
    auto [entry, isNew] =
        versions.try_emplace(global, std::make_unique<ValueVersions>(local, types[global], sharding, mesh));
    if (entry->second->connect(needs[global], planner))
      return success();
    return op->emitError("no way from sharding ") << sharding.str(mesh) << " to what a user needs";
  }

  LogicalResult partitionOp(Operation *op) {
    std::vector<Sharding> out = shardingsIn(op, FroeDialect::kResultShardings);
    std::vector<Sharding> in = shardingsIn(op, FroeDialect::kOperandShardings);
    OpBuilder builder(op);
    partitionOperands(builder, op, in);
    op->removeAttr(FroeDialect::kOperandShardings);
    op->removeAttr(FroeDialect::kResultShardings);
    if (auto iota = dyn_cast<IotaOp>(op))
      return partitionIota(iota, out.front());
    if (auto gather = dyn_cast<GatherOp>(op); gather && !in.front().dims[gather.getDim()].empty())
      return partitionRows(gather, in.front().dims[gather.getDim()], out.front());
    for (auto [result, sharding] : llvm::zip(op->getResults(), out)) {
      RankedTensorType local = localType(types[result], sharding, mesh);
      if (isa<WeightOp>(op))
        keepWhole(op, types[result], sharding);
      if (auto constant = dyn_cast<ConstantOp>(op); constant && constant.isSplat())
        constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(local));
      result.setType(local);
      if (failed(addVersions(result, result, sharding, op)))
        return failure();
    }
    return success();
  }

  /// The file holds the whole weight, of which the rank has a block.
  void keepWhole(Operation *weight, RankedTensorType type, const Sharding &sharding) {
    auto meshName = FlatSymbolRefAttr::get(meshOf(main).getSymNameAttr());
    weight->setAttr(FroeDialect::kSharding, ShardingAttr::get(main.getContext(), meshName, mesh, sharding));
    weight->setAttr(FroeDialect::kGlobalType, TypeAttr::get(type));
  }

  /// An index along a dim that is cut depends on the rank: a part of the whole range.
  LogicalResult partitionIota(IotaOp iota, const Sharding &sharding) {
    RankedTensorType type = types[iota.getResult()];
    AxisList axes = sharding.dims[iota.getDim()];
    Sharding uncut = sharding;
    uncut.dims[iota.getDim()].clear();
    iota.getResult().setType(localType(type, uncut, mesh));
    Value local = iota;
    if (!axes.empty()) {
      OpBuilder builder(iota->getContext());
      builder.setInsertionPointAfter(iota);
      local = rank::SliceOp::create(builder, iota.getLoc(), localType(type, sharding, mesh), iota,
                                    axisNames(builder, axes, mesh), iota.getDim());
    }
    return addVersions(iota, local, sharding, iota);
  }

  /// Each rank looks up the rows that it has.
  LogicalResult partitionRows(GatherOp gather, const AxisList &axes, const Sharding &sharding) {
    int64_t rows = rowsOf.at(gather);
    gather.getResult().setType(localType(types[gather.getResult()], sharding, mesh));
    return addVersions(gather, gatherOwnRows(gather, rows, axes, mesh), sharding, gather);
  }

  void partitionOperands(OpBuilder &builder, Operation *op, const std::vector<Sharding> &shardings) {
    SmallVector<Value> globals(op->getOperands()), locals;
    for (auto [global, sharding] : llvm::zip(globals, shardings))
      locals.push_back(versions.at(global)->get(builder, sharding));
    for (const Padding &padding : paddings[op]) {
      int64_t size = types[globals[padding.operand]].getDimSize(padding.dim);
      locals[padding.operand] = mask(builder, locals[padding.operand], size,
                                     shardings[padding.operand].dims[padding.dim], padding.dim, padding.value);
    }
    op->setOperands(locals);
  }

  Value mask(OpBuilder &builder, Value local, int64_t size, const AxisList &axes, int64_t dim, TypedAttr padding) {
    Value &known = masked[{local, dim, padding}];
    if (!known)
      known = rank::MaskOp::create(builder, local.getLoc(), local.getType(), local, axisNames(builder, axes, mesh), dim,
                                   size, padding);
    return known;
  }

  void partitionResults() {
    Operation *terminator = main.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    std::vector<Sharding> shardings = resultShardings();
    for (OpOperand &operand : terminator->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      main.setResultAttr(index, FroeDialect::kGlobalType, TypeAttr::get(types[operand.get()]));
      operand.set(versions.at(operand.get())->get(builder, shardings[index]));
    }
    main.setType(builder.getFunctionType(main.getBody().getArgumentTypes(), terminator->getOperandTypes()));
  }

  /// What padding of an operand must hold.
  struct Padding {
    unsigned operand;
    int64_t dim;
    TypedAttr value;
  };

  func::FuncOp main;
  const Mesh mesh;
  ReshardPlanner planner;
  llvm::DenseMap<Value, RankedTensorType> types; ///< global ones
  llvm::DenseMap<Value, std::vector<Sharding>> needs;
  llvm::DenseMap<Value, std::unique_ptr<ValueVersions>> versions;
  llvm::DenseMap<Operation *, std::vector<Padding>> paddings;
  llvm::DenseMap<Operation *, int64_t> rowsOf; ///< of the whole table that a gather reads
  llvm::DenseMap<std::tuple<Value, int64_t, Attribute>, Value> masked;
};

struct Partition : impl::PartitionBase<Partition> {
  using PartitionBase::PartitionBase;

  void runOnOperation() override {
    MeshOp meshOp = meshOf(getOperation());
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    std::expected<Cluster, std::string> machines = Cluster::load(cluster);
    if (!meshOp || !main)
      getOperation().emitError("expected a plan: a module with a froe.mesh and a function @main");
    else if (!machines)
      getOperation().emitError(machines.error());
    else if (succeeded(Partitioner(main, meshOp.getMesh(), *machines).run()))
      return;
    signalPassFailure();
  }
};

} // namespace

} // namespace froe

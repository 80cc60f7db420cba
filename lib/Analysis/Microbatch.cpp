#include "Microbatch.h"

#include "froe/Analysis/ProgramGraph.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>

namespace froe {

namespace {
using ValueDim = std::pair<mlir::Value, int>;

/// Which dims of which values are the batch, or have it as their major part: rules say which dims go together.
class BatchDims {
public:
  BatchDims(mlir::func::FuncOp main, int64_t batch) {
    for (mlir::BlockArgument argument : main.getArguments())
      if (!shapeOf(argument).empty() && shapeOf(argument)[0] == batch)
        mark(argument, 0);
    while (!pending.empty() && error.empty()) {
      mlir::Value value = pending.pop_back_val();
      if (mlir::Operation *op = value.getDefiningOp())
        follow(op);
      for (mlir::Operation *user : value.getUsers())
        follow(user);
    }
  }

  llvm::DenseSet<ValueDim> marked;
  std::string error;

private:
  void mark(mlir::Value value, int dim) {
    if (marked.insert({value, dim}).second)
      pending.push_back(value);
  }

  /// Whatever shares the batch's factor in an op with a dim that is marked is the batch as well.
  void follow(mlir::Operation *op) {
    auto shardable = llvm::dyn_cast<ShardableOpInterface>(op);
    if (!shardable)
      return;
    if (llvm::isa<WeightOp>(op))
      return fail(op, "is a weight with as many rows as the batch");
    if (auto constant = llvm::dyn_cast<ConstantOp>(op); constant && !constant.isSplat())
      return fail(op, "is a constant with as many rows as the batch");
    Rule rule = shardable.getShardingRule();
    auto eachDim = [&](auto &&visit) {
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        for (auto [dim, factors] : llvm::enumerate(rule.operands[i]))
          visit(operand, static_cast<int>(dim), factors);
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        for (auto [dim, factors] : llvm::enumerate(rule.results[i]))
          visit(result, static_cast<int>(dim), factors);
    };
    llvm::SmallDenseSet<int> batch;
    eachDim([&](mlir::Value value, int dim, const DimFactors &factors) {
      if (!factors.empty() && marked.contains({value, dim}))
        batch.insert(factors.front());
    });
    for (int factor : batch)
      if (rule.factors[factor].kind != FactorKind::Parallel)
        return fail(op, "computes elements of a batch from others");
    eachDim([&](mlir::Value value, int dim, const DimFactors &factors) {
      if (!factors.empty() && batch.contains(factors.front()))
        mark(value, dim);
    });
  }

  void fail(mlir::Operation *op, const char *why) {
    if (error.empty())
      error = fmt::format("the batch cannot be computed in parts: '{}' {}", nodeName(op), why);
  }

  llvm::SmallVector<mlir::Value> pending;
};

mlir::Type withDims(mlir::Value value, const llvm::DenseSet<ValueDim> &batch, int64_t size, int64_t part) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (batch.contains({value, static_cast<int>(dim)}))
      shape[dim] = shape[dim] / size * part;
  return type.clone(shape);
}
} // namespace

int64_t batchSize(mlir::ModuleOp module) {
  int64_t size = 1;
  if (auto main = mainOf(module))
    for (mlir::BlockArgument argument : main->getArguments())
      if (!shapeOf(argument).empty())
        size = std::max(size, shapeOf(argument)[0]);
  return size;
}

std::expected<mlir::OwningOpRef<mlir::ModuleOp>, std::string> microbatchOf(mlir::ModuleOp module, int64_t count) {
  int64_t size = batchSize(module), part = (size + count - 1) / count;
  if (count > size)
    return std::unexpected(fmt::format("a batch of {} has no {} microbatches", size, count));
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  std::expected<mlir::func::FuncOp, std::string> main = mainOf(*copy);
  if (!main)
    return std::unexpected(main.error());
  BatchDims batch(*main, size);
  if (!batch.error.empty())
    return std::unexpected(batch.error);
  for (mlir::BlockArgument argument : main->getArguments())
    argument.setType(withDims(argument, batch.marked, size, part));
  main->walk([&](mlir::Operation *op) {
    for (mlir::OpResult result : op->getResults())
      result.setType(withDims(result, batch.marked, size, part));
    if (auto constant = llvm::dyn_cast<ConstantOp>(op); constant && constant.isSplat())
      if (auto splat = llvm::dyn_cast<mlir::SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(splat.resizeSplat(llvm::cast<mlir::ShapedType>(constant.getType())));
  });
  mlir::Operation *terminator = main->getBody().front().getTerminator();
  main->setType(mlir::FunctionType::get(main->getContext(), main->getArgumentTypes(), terminator->getOperandTypes()));
  return copy;
}

} // namespace froe

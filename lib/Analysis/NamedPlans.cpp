#include "Restrictions.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>
#include <map>

namespace froe {

namespace {

/// The axes that can cut anything, major first.
AxisList cuttingAxes(const Mesh &mesh) {
  AxisList axes;
  for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
    if (mesh.axes[axis].size > 1)
      axes.push_back(axis);
  return axes;
}

bool isReplicated(const Strategy &strategy) {
  return strategy.partialAxes.empty() && llvm::all_of(strategy.factorAxes, [](auto &axes) { return axes.empty(); });
}

bool readsWhole(const Strategy &strategy) {
  return llvm::all_of(strategy.operands, [](const Sharding &sharding) { return sharding.isReplicated(); });
}

/// Whether the node makes its value of nothing that the plan decides about.
bool isSource(const GraphNode &node) {
  return node.kind == GraphNode::Kind::Input || (node.op && llvm::isa<WeightOp>(node.op));
}

/// Where the batch goes: which dim of a value, and which factor of an op, descends from the first dim of the inputs.
class BatchDims {
public:
  explicit BatchDims(const ProgramGraph &graph) {
    for (const GraphNode &node : graph.nodes)
      if (node.kind == GraphNode::Kind::Input && !shapeOf(node.value).empty())
        size = std::max(size, shapeOf(node.value)[0]);
    for (const GraphNode &node : graph.nodes) {
      if (node.kind == GraphNode::Kind::Input && !shapeOf(node.value).empty() && shapeOf(node.value)[0] == size)
        dims[node.value] = 0;
      if (node.kind == GraphNode::Kind::Op)
        follow(node);
    }
  }

  int64_t size = 0;

  int dimOf(mlir::Value value) const {
    auto known = dims.find(value);
    return known == dims.end() ? -1 : known->second;
  }
  /// The factor of a node that is the batch, or -1.
  int factorOf(const GraphNode &node) const {
    if (node.kind != GraphNode::Kind::Op)
      return dimOf(node.value);
    for (auto [i, operand] : llvm::enumerate(node.op->getOperands())) {
      int dim = dimOf(operand);
      if (dim >= 0 && !node.rule.operands[i][dim].empty())
        return node.rule.operands[i][dim].front();
    }
    return -1;
  }

private:
  void follow(const GraphNode &node) {
    int factor = factorOf(node);
    for (auto [i, result] : llvm::enumerate(node.op->getResults()))
      for (auto [dim, factors] : llvm::enumerate(node.rule.results[i]))
        if (!factors.empty() && factors.front() == factor)
          dims[result] = static_cast<int>(dim);
  }

  llvm::DenseMap<mlir::Value, int> dims;
};

/// keepOnly for many nodes: what a question about a table of strategies leaves is the same for all nodes that share it,
/// and so they share it again.
class KeepAlike {
public:
  /// `question` and `index` tell apart what is asked.
  bool operator()(GraphNode &node, char question, int index, const std::function<bool(const Strategy &)> &keep) {
    auto [it, isNew] = known.try_emplace({node.strategies.identity(), question, index});
    Answer &answer = it->second;
    if (isNew) {
      answer.asked = node.strategies;
      answer.kept = keepOnly(node, keep);
      answer.left = node.strategies;
    }
    node.strategies = answer.left;
    return answer.kept;
  }

private:
  struct Answer {
    SharedTable<Strategy> asked; ///< held, so that nothing else gets its address
    SharedTable<Strategy> left;
    bool kept = false;
  };
  std::map<std::tuple<const void *, char, int>, Answer> known;
};

std::optional<std::string> restrictToReplicated(ProgramGraph &graph) {
  KeepAlike keep;
  for (GraphNode &node : graph.nodes)
    keep(node, 'r', 0, isReplicated);
  return std::nullopt;
}

std::optional<std::string> restrictToData(ProgramGraph &graph) {
  BatchDims batch(graph);
  AxisList all = cuttingAxes(graph.mesh);
  int64_t devices = graph.mesh.blocks(all);
  if (batch.size < devices)
    return fmt::format("there is no data-parallel plan: the inputs' first dim is {}, too small for {} devices",
                       batch.size, devices);
  KeepAlike keep;
  for (GraphNode &node : graph.nodes) {
    int factor = batch.factorOf(node);
    auto cutsBatch = [&](const Strategy &strategy) {
      for (auto [f, axes] : llvm::enumerate(strategy.factorAxes))
        if (axes != (static_cast<int>(f) == factor ? all : AxisList()))
          return false;
      return strategy.partialAxes.empty();
    };
    // What has no batch is whole, and becomes cut at most where it is repeated for each element of a batch.
    if (factor >= 0 && keep(node, 'b', factor, cutsBatch))
      continue;
    if (isSource(node))
      keep(node, 'r', 0, isReplicated);
    else
      keep(node, 'w', 0, readsWhole);
  }
  return std::nullopt;
}

/// The weight that an operand is, seen through ops that only move or convert its elements.
mlir::Operation *weightBehind(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && llvm::isa<ReshapeOp, TransposeOp, CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return llvm::isa_and_nonnull<WeightOp>(op) ? op : nullptr;
}

bool cutsOverAll(const Sharding &sharding, const AxisList &axes) {
  size_t used = 0;
  for (const AxisList &dim : sharding.dims)
    used += dim.size();
  return used == axes.size();
}

std::optional<std::string> restrictToTensor(ProgramGraph &graph) {
  BatchDims batch(graph);
  AxisList all = cuttingAxes(graph.mesh);
  llvm::DenseSet<mlir::Operation *> cutWeights;
  KeepAlike keep;
  for (GraphNode &node : graph.nodes) {
    int factor = batch.factorOf(node);
    if (factor >= 0)
      keep(node, 'f', factor, [&](const Strategy &strategy) { return strategy.factorAxes[factor].empty(); });
    if (node.kind != GraphNode::Kind::Op || !llvm::isa<ContractOp>(node.op))
      continue;
    for (auto [i, operand] : llvm::enumerate(node.op->getOperands()))
      if (mlir::Operation *weight = weightBehind(operand))
        if (keep(node, 'o', static_cast<int>(i),
                 [&](const Strategy &strategy) { return cutsOverAll(strategy.operands[i], all); }))
          cutWeights.insert(weight);
  }
  for (GraphNode &node : graph.nodes)
    if (cutWeights.contains(node.op))
      keep(node, 'r', 1, [&](const Strategy &strategy) { return cutsOverAll(strategy.results[0], all); });
  if (cutWeights.empty())
    return "there is no tensor-parallel plan: no contraction has a weight that can be cut over all devices";
  return std::nullopt;
}

} // namespace

bool keepOnly(GraphNode &node, const std::function<bool(const Strategy &)> &keep) {
  std::vector<Strategy> kept;
  llvm::copy_if(node.strategies, std::back_inserter(kept), keep);
  if (kept.empty())
    return false;
  if (kept.size() < node.strategies.size()) // else still shared
    node.strategies = std::move(kept);
  return true;
}

std::optional<std::string> restrictToNamedPlan(ProgramGraph &graph, const std::string &name) {
  std::optional<std::string> why = name == "replicated" ? restrictToReplicated(graph)
                                   : name == "data"     ? restrictToData(graph)
                                                        : restrictToTensor(graph);
  return why;
}

} // namespace froe

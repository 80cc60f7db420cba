#include "BuildProblem.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace froe {

namespace {

/// The position behind the last use of each value; a view's uses count for what it views.
llvm::DenseMap<mlir::Value, int64_t> endsOfLife(const ProgramGraph &graph, int64_t end) {
  llvm::DenseMap<mlir::Value, int64_t> ends;
  for (const GraphNode &node : llvm::reverse(graph.nodes)) {
    if (node.kind == GraphNode::Kind::Output)
      ends[node.value] = end;
    if (node.kind != GraphNode::Kind::Op)
      continue;
    for (mlir::Value operand : node.op->getOperands()) {
      int64_t use = llvm::isa<ReshapeOp>(node.op) ? ends.lookup(node.op->getResult(0)) : node.position + 1;
      ends[operand] = std::max(ends.lookup(operand), use);
    }
  }
  return ends;
}

/// P4: who holds how many bytes, and how long.
class Memory {
public:
  Memory(const ProgramGraph &graph, const CostModel &costs) : costs(costs) {
    for (const GraphNode &node : graph.nodes)
      end = std::max<int64_t>(end, node.position + 1);
    ends = endsOfLife(graph, end);
  }

  std::vector<MemoryUse> usesOf(const GraphNode &node) const {
    std::vector<MemoryUse> uses;
    if (node.kind == GraphNode::Kind::Input)
      addUse(uses, node, node.value, 0, {0, std::max<int64_t>(1, ends.lookup(node.value))});
    if (node.kind != GraphNode::Kind::Op || llvm::isa<ConstantOp>(node.op))
      return uses;
    for (auto [i, result] : llvm::enumerate(node.op->getResults())) {
      Interval live{node.position, std::max<int64_t>(node.position + 1, ends.lookup(result))};
      addUse(uses, node, result, static_cast<int>(i), llvm::isa<WeightOp>(node.op) ? Interval{0, end} : live);
    }
    return uses;
  }

private:
  void addUse(std::vector<MemoryUse> &uses, const GraphNode &node, mlir::Value value, int result, Interval live) const {
    MemoryUse use{live, {}};
    for (size_t s = 0; s < node.strategies.size(); ++s)
      use.bytes.edit().push_back(costs.storedBytes(value, node.produces(static_cast<int>(s), result)));
    if (llvm::any_of(use.bytes, [](int64_t bytes) { return bytes > 0; }))
      uses.push_back(std::move(use));
  }

  const CostModel &costs;
  int64_t end = 1;
  llvm::DenseMap<mlir::Value, int64_t> ends;
};

/// Few shardings stand behind many strategies: which distinct one each strategy has.
struct Distinct {
  std::vector<const Sharding *> shardings;
  std::vector<int> indices;

  void add(const Sharding &sharding) {
    auto same = llvm::find_if(shardings, [&](const Sharding *other) { return *other == sharding; });
    indices.push_back(static_cast<int>(same - shardings.begin()));
    if (same == shardings.end())
      shardings.push_back(&sharding);
  }
};

} // namespace

// P3.
std::vector<double> ProblemBuilder::edgeCosts(const ProgramGraph &graph, const GraphEdge &edge) {
  const GraphNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
  size_t rows = from.strategies.size(), columns = to.strategies.size();
  Distinct sources;
  for (size_t i = 0; i < rows; ++i)
    sources.add(from.produces(static_cast<int>(i), edge.result));
  std::vector<double> total(rows * columns, 0);
  for (size_t operand = 0; operand < edge.operands.size(); ++operand) {
    Distinct targets;
    for (size_t j = 0; j < columns; ++j)
      targets.add(to.needs(static_cast<int>(j), edge.operands[operand]));
    std::vector<double> known(sources.shardings.size() * targets.shardings.size());
    for (size_t i = 0; i < sources.shardings.size(); ++i)
      for (size_t j = 0; j < targets.shardings.size(); ++j)
        known[i * targets.shardings.size() + j] =
            costs.reshardSeconds(edge.value, *sources.shardings[i], *targets.shardings[j]);
    for (size_t j = 0; j < columns; ++j) {
      // An op that uses a value twice in one form reshards it once.
      bool repeated = false;
      for (size_t earlier = 0; earlier < operand; ++earlier)
        repeated |= to.needs(static_cast<int>(j), edge.operands[earlier]) ==
                    to.needs(static_cast<int>(j), edge.operands[operand]);
      for (size_t i = 0; i < rows && !repeated; ++i)
        total[i * columns + j] += known[sources.indices[i] * targets.shardings.size() + targets.indices[j]];
    }
  }
  return total;
}

Problem ProblemBuilder::build(const ProgramGraph &graph, int64_t memoryLimit) {
  Problem problem;
  problem.memoryLimit = memoryLimit;
  Memory memory(graph, costs);
  for (const GraphNode &node : graph.nodes) {
    PlanNode planNode{node.name, {}, memory.usesOf(node), -1};
    for (const Strategy &strategy : node.strategies) // P2
      planNode.cost.edit().push_back(node.kind == GraphNode::Kind::Op ? costs.computeSeconds(node.op, strategy) : 0);
    problem.nodes.push_back(std::move(planNode));
  }
  for (const GraphEdge &edge : graph.edges)
    problem.edges.push_back({edge.from, edge.to, edgeCosts(graph, edge)});
  return problem;
}

} // namespace froe

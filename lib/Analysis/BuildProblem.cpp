#include "BuildProblem.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

#include <set>

namespace froe {

static const void *typeOf(mlir::Value value) { return value.getType().getAsOpaquePointer(); }

static size_t hashOf(const Sharding &sharding) {
  auto hash = llvm::hash_combine_range(sharding.partial.begin(), sharding.partial.end());
  for (const AxisList &axes : sharding.dims)
    hash = llvm::hash_combine(hash, llvm::hash_combine_range(axes.begin(), axes.end()));
  return hash;
}

void ProblemBuilder::Distinct::add(const Sharding &sharding) {
  size_t hash = hashOf(sharding);
  for (auto [it, end] = known.equal_range(hash); it != end; ++it)
    if (*shardings[it->second] == sharding)
      return indices.push_back(it->second);
  known.emplace(hash, static_cast<int>(shardings.size()));
  indices.push_back(static_cast<int>(shardings.size()));
  shardings.push_back(&sharding);
}

const void *ProblemBuilder::keep(const GraphNode &node) {
  kept.try_emplace(node.strategies.identity(), node.strategies);
  return node.strategies.identity();
}

// P2.
SharedTable<double> ProblemBuilder::nodeCosts(const GraphNode &node) {
  bool free = node.kind != GraphNode::Kind::Op || llvm::isa<WeightOp, ConstantOp, IotaOp, ReshapeOp>(node.op);
  SharedTable<double> &table = free ? freeTables[node.strategies.size()] : nodeTables[{keep(node), node.opClass}];
  if (table.empty())
    for (const Strategy &strategy : node.strategies)
      table.edit().push_back(free ? 0 : costs.computeSeconds(node.op, strategy));
  return table;
}

SharedTable<int64_t> ProblemBuilder::bytesOf(const GraphNode &node, mlir::Value value, int result) {
  SharedTable<int64_t> &table = byteTables[{keep(node), typeOf(value), result}];
  if (table.empty())
    for (size_t s = 0; s < node.strategies.size(); ++s)
      table.edit().push_back(costs.localBytesOf(value, node.produces(static_cast<int>(s), result)));
  return table;
}

std::vector<MemoryUse> ProblemBuilder::usesOf(const GraphNode &node) {
  std::vector<MemoryUse> uses;
  uses.reserve(node.uses.size());
  for (const ValueUse &value : node.uses)
    uses.push_back({value.live, bytesOf(node, value.value, value.result)});
  return uses;
}

const ProblemBuilder::Distinct &ProblemBuilder::produced(const GraphNode &node, int result) {
  auto [it, isNew] = distinct.try_emplace({keep(node), false, result});
  for (size_t s = 0; isNew && s < node.strategies.size(); ++s)
    it->second.add(node.produces(static_cast<int>(s), result));
  return it->second;
}

const ProblemBuilder::Distinct &ProblemBuilder::needed(const GraphNode &node, int operand) {
  if (node.kind != GraphNode::Kind::Op)
    return produced(node, 0);
  auto [it, isNew] = distinct.try_emplace({keep(node), true, operand});
  for (size_t s = 0; isNew && s < node.strategies.size(); ++s)
    it->second.add(node.needs(static_cast<int>(s), operand));
  return it->second;
}

const std::vector<double> &ProblemBuilder::reshards(mlir::Value value, const Distinct &from, const Distinct &to) {
  std::vector<double> &table = reshardTables[{typeOf(value), &from, &to}];
  if (table.empty())
    table = costs.reshardSeconds(value, from.shardings, to.shardings);
  return table;
}

// P3.
const SharedTable<double> &ProblemBuilder::edgeCosts(const ProgramGraph &graph, const GraphEdge &edge) {
  const GraphNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
  SharedTable<double> &table = edgeTables[{keep(from), keep(to), edge.edgeClass}];
  if (table.empty())
    table = priceEdge(from, to, edge);
  return table;
}

std::vector<double> ProblemBuilder::priceEdge(const GraphNode &from, const GraphNode &to, const GraphEdge &edge) {
  size_t rows = from.strategies.size(), columns = to.strategies.size();
  std::vector<double> total(rows * columns, 0);
  const Distinct &sources = produced(from, edge.result);
  for (size_t operand = 0; operand < edge.operands.size(); ++operand) {
    const Distinct &targets = needed(to, edge.operands[operand]);
    const std::vector<double> &known = reshards(edge.value, sources, targets);
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

/// All shardings that values of each type come in, so that they are worked out together.
void ProblemBuilder::expectReshards(const ProgramGraph &graph) {
  std::map<const void *, std::pair<mlir::Value, std::vector<const Sharding *>>> sources;
  std::set<std::pair<const void *, const Distinct *>> seen;
  for (const GraphEdge &edge : graph.edges) {
    const Distinct &from = produced(graph.nodes[edge.from], edge.result);
    if (!seen.insert({typeOf(edge.value), &from}).second)
      continue;
    auto &[value, shardings] = sources[typeOf(edge.value)];
    value = edge.value;
    llvm::append_range(shardings, from.shardings);
  }
  for (auto &[type, source] : sources)
    costs.expectReshards(source.first, source.second);
}

double ProblemBuilder::leastSeconds(const ProgramGraph &graph) {
  double seconds = 0;
  for (const GraphNode &node : graph.nodes)
    seconds += *std::ranges::min_element(nodeCosts(node).get());
  return seconds;
}

Problem ProblemBuilder::build(const ProgramGraph &graph, int64_t memoryLimit) {
  expectReshards(graph);
  Problem problem;
  problem.memoryLimit = memoryLimit;
  for (const GraphNode &node : graph.nodes)
    problem.nodes.push_back({node.name, nodeCosts(node), usesOf(node), -1});
  for (const GraphEdge &edge : graph.edges)
    problem.edges.push_back({edge.from, edge.to, edgeCosts(graph, edge)});
  return problem;
}

} // namespace froe

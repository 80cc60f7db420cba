#include "BuildProblem.h"

#include "froe/Sharding/Layout.h"

#include "dialects/Froe/Froe.h"

#include <set>

namespace froe {

static const void *typeOf(mlir::Value value) { return value.getType().getAsOpaquePointer(); }

void ProblemBuilder::Distinct::add(const Sharding &sharding) {
  // Meshes have four axes at most, which leaves room for the kind of partial value.
  Layout layout = Layout::of(sharding);
  layout.use.back() = static_cast<uint8_t>(sharding.partialKind);
  int index = known.add(layout.key());
  indices.push_back(index);
  if (index == static_cast<int>(shardings.size()))
    shardings.push_back(&sharding);
}

const void *ProblemBuilder::keep(const GraphNode &node) {
  const void *identity = node.strategies.identity();
  kept.try_emplace(identity, node.strategies);
  return identity;
}

// P2.
SharedTable<double> ProblemBuilder::nodeCosts(const GraphNode &node) {
  bool free = node.kind != GraphNode::Kind::Op || llvm::isa<WeightOp, ConstantOp, IotaOp, ReshapeOp>(node.op);
  SharedTable<double> &table =
      free ? freeTables[node.strategies.size()] : nodeTables[{keep(node), nullptr, node.opClass}];
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
SharedTable<double> ProblemBuilder::edgeCosts(const ProgramGraph &graph, const GraphEdge &edge) {
  const GraphNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
  SharedTable<double> &table = edgeTables[{keep(from), keep(to), edge.edgeClass}];
  if (table.empty())
    table = priceEdge(from, to, edge);
  return table;
}

/// What getting one operand costs, for each distinct source and each strategy of the user.
void ProblemBuilder::addReshards(const GraphEdge &edge, const GraphNode &to, size_t operand, const Distinct &sources,
                                 std::vector<double> &total) {
  const Distinct &targets = needed(to, edge.operands[operand]);
  const std::vector<double> &known = reshards(edge.value, sources, targets);
  size_t columns = to.strategies.size();
  std::vector<int> counted; // an op that uses a value twice in one form reshards it once
  for (size_t j = 0; j < columns; ++j)
    if (std::none_of(edge.operands.begin(), edge.operands.begin() + operand, [&](int earlier) {
          return to.needs(static_cast<int>(j), earlier) == to.needs(static_cast<int>(j), edge.operands[operand]);
        }))
      counted.push_back(static_cast<int>(j));
  for (size_t source = 0; source < sources.shardings.size(); ++source) {
    const double *seconds = &known[source * targets.shardings.size()];
    for (int j : counted)
      total[source * columns + j] += seconds[targets.indices[j]];
  }
}

std::vector<double> ProblemBuilder::priceEdge(const GraphNode &from, const GraphNode &to, const GraphEdge &edge) {
  size_t columns = to.strategies.size();
  const Distinct &sources = produced(from, edge.result);
  std::vector<double> rows(sources.shardings.size() * columns, 0);
  for (size_t operand = 0; operand < edge.operands.size(); ++operand)
    addReshards(edge, to, operand, sources, rows);
  std::vector<double> total;
  total.reserve(from.strategies.size() * columns);
  for (int source : sources.indices)
    total.insert(total.end(), rows.begin() + source * columns, rows.begin() + (source + 1) * columns);
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
    seconds += leastSeconds(node);
  return seconds;
}

Problem ProblemBuilder::build(const ProgramGraph &graph, int64_t memoryLimit) {
  expectReshards(graph);
  Problem problem;
  problem.memoryLimit = memoryLimit;
  problem.nodes.reserve(graph.nodes.size());
  problem.edges.reserve(graph.edges.size());
  for (const GraphNode &node : graph.nodes)
    problem.nodes.push_back({node.name, nodeCosts(node), usesOf(node), -1});
  for (const GraphEdge &edge : graph.edges)
    problem.edges.push_back({edge.from, edge.to, edgeCosts(graph, edge)});
  return problem;
}

} // namespace froe

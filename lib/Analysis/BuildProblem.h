#pragma once

#include "froe/Analysis/CostModel.h"
#include "froe/Planning/Problem.h"
#include "froe/Sharding/KeyIndex.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace froe {

/// Turns graphs of one program into problems. What nodes and edges cost is worked out once for all that are alike, in
/// all graphs, and they share their tables.
class ProblemBuilder {
public:
  explicit ProblemBuilder(CostModel &costs) : costs(costs) {}

  /// Nodes, strategies and edges have the indices of the graph.
  Problem build(const ProgramGraph &graph, int64_t memoryLimit);
  /// A lower bound that needs no edges: the cheapest strategy of each node.
  double leastSeconds(const ProgramGraph &graph);
  double leastSeconds(const GraphNode &node) { return *std::ranges::min_element(nodeCosts(node).get()); }

private:
  /// Few shardings stand behind many strategies: which distinct one each strategy has.
  struct Distinct {
    std::vector<const Sharding *> shardings;
    std::vector<int> indices;
    KeyIndex known;

    void add(const Sharding &sharding);
  };
  /// What tables are known by: identities of strategies and types, small numbers.
  using Key = std::tuple<const void *, const void *, int>;

  void expectReshards(const ProgramGraph &graph);
  SharedTable<double> nodeCosts(const GraphNode &node);
  SharedTable<int64_t> bytesOf(const GraphNode &node, mlir::Value value, int result);
  std::vector<MemoryUse> usesOf(const GraphNode &node);
  SharedTable<double> edgeCosts(const ProgramGraph &graph, const GraphEdge &edge);
  std::vector<double> priceEdge(const GraphNode &from, const GraphNode &to, const GraphEdge &edge);
  void addReshards(const GraphEdge &edge, const GraphNode &to, size_t operand, const Distinct &sources,
                   std::vector<double> &total);
  const Distinct &produced(const GraphNode &node, int result);
  const Distinct &needed(const GraphNode &node, int operand);
  const std::vector<double> &reshards(mlir::Value value, const Distinct &from, const Distinct &to);
  /// Tables are known by their addresses, so they must live as long.
  const void *keep(const GraphNode &node);

  CostModel &costs;
  llvm::DenseMap<const void *, SharedTable<Strategy>> kept;
  std::map<size_t, SharedTable<double>> freeTables; ///< zeros, by their number
  llvm::DenseMap<Key, SharedTable<double>> nodeTables, edgeTables;
  llvm::DenseMap<Key, SharedTable<int64_t>> byteTables;
  std::map<std::tuple<const void *, bool, int>, Distinct> distinct;
  std::map<std::tuple<const void *, const Distinct *, const Distinct *>, std::vector<double>> reshardTables;
};

} // namespace froe

#include "Restrictions.h"

#include <random>

namespace froe {

namespace {
/// Whether a value made as `from` can be brought to `to`: partial axes can go, not come.
bool reachable(const Sharding &from, const Sharding &to) {
  return llvm::all_of(to.partial, [&](AxisIndex axis) { return llvm::is_contained(from.partial, axis); }) &&
         (to.partial.empty() || from.partialKind == to.partialKind);
}
} // namespace

void restrictAtRandom(ProgramGraph &graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<const GraphEdge *>> incoming(graph.nodes.size());
  for (const GraphEdge &edge : graph.edges)
    incoming[edge.to].push_back(&edge);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode &node = graph.nodes[i];
    std::vector<int> possible;
    for (size_t s = 0; s < node.strategies.size(); ++s)
      if (llvm::all_of(incoming[i], [&](const GraphEdge *edge) {
            const Sharding &from = graph.nodes[edge->from].produces(0, edge->result);
            return llvm::all_of(edge->operands,
                                [&](int operand) { return reachable(from, node.needs(static_cast<int>(s), operand)); });
          }))
        possible.push_back(static_cast<int>(s));
    Strategy chosen = node.strategies[possible[random() % possible.size()]];
    node.strategies = {std::move(chosen)};
  }
}

} // namespace froe

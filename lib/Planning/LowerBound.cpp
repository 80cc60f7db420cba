#include "froe/Planning/Solve.h"

#include <algorithm>
#include <map>

namespace froe {

double lowerBound(const Problem &problem) {
  std::map<const void *, double> leastOf;
  auto least = [&](const SharedTable<double> &costs) {
    auto [it, isNew] = leastOf.try_emplace(costs.identity());
    if (isNew)
      it->second = std::ranges::min(costs.get());
    return it->second;
  };
  double total = 0;
  for (const PlanNode &node : problem.nodes)
    total += node.fixed >= 0 ? node.cost[node.fixed] : least(node.cost);
  for (const PlanEdge &edge : problem.edges)
    total += least(edge.cost);
  return total;
}

} // namespace froe

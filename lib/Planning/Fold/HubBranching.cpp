#include "HubBranching.h"

#include <algorithm>

namespace froe::fold {

double HubBranching::run(const std::function<void(const std::vector<int> &labels)> &visit) { return branch(visit); }

double HubBranching::branch(const std::function<void(const std::vector<int> &labels)> &visit) {
  --runsLeft;
  double value = fold.run(pricing, restrictions);
  if (value >= std::min(enough, bestCost * (1 - tolerance)))
    return value;
  std::vector<int> labels = fold.decode();
  visit(labels);
  int hub = fold.disputedHub();
  if (hub < 0 || bestLabels.empty()) {
    bestLabels.clear();
    for (int node : fold.hubs())
      bestLabels.push_back({node, labels[node], false});
  }
  if (hub < 0) {
    bestCost = value;
    return value;
  }
  double least = std::numeric_limits<double>::infinity();
  for (bool excluded : {false, true}) {
    if (runsLeft <= 0) // not looked at: no better than what is known of both
      return value;
    restrictions.push_back({hub, labels[hub], excluded});
    least = std::min(least, branch(visit));
    restrictions.pop_back();
  }
  return std::max(value, least);
}

} // namespace froe::fold

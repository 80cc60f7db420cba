#include "BranchAndBound.h"

#include <algorithm>
#include <numeric>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Bounds and costs are sums in different orders: what differs by less is equal.
constexpr double kRounding = 1e-11;
} // namespace

bool BranchAndBound::run(double bestKnown, int64_t visits,
                         const std::function<void(const std::vector<int> &, double)> &callback) {
  best = bestKnown;
  visitsLeft = visits;
  found = &callback;
  labels.assign(model.nodes.size(), 0);
  usage = model.smallestUsage();
  return descend(0, rootBound);
}

/// Takes the node's smallest bytes out of the usage and puts the label's in. False if some slot is over its limit.
bool BranchAndBound::place(int node, int label) {
  labels[node] = label;
  bool fits = true;
  for (const Model::Use &use : model.nodes[node].uses) {
    int64_t change = use.bytes[label] - std::ranges::min(use.bytes);
    for (int t = use.begin; change != 0 && t < use.end; ++t)
      fits &= (usage[t] += change) <= model.limit;
  }
  return fits;
}

void BranchAndBound::remove(int node, int label) {
  for (const Model::Use &use : model.nodes[node].uses) {
    int64_t change = use.bytes[label] - std::ranges::min(use.bytes);
    for (int t = use.begin; change != 0 && t < use.end; ++t)
      usage[t] -= change;
  }
}

/// False if the visits ran out.
bool BranchAndBound::descend(size_t depth, double bound) {
  if (depth == model.nodes.size()) {
    double cost = model.costOf(labels);
    if (cost < best) {
      best = cost;
      (*found)(labels, cost);
    }
    return true;
  }
  int node = elimination.decisionOrder()[depth];
  std::vector<double> increases;
  elimination.increases(node, labels, increases);
  std::vector<int> order(increases.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int label) { return std::pair(increases[label], label); });
  for (int label : order) {
    double next = bound + increases[label];
    if (next == kInfinity || next >= best - kRounding * best)
      return true; // so are all labels behind it
    if (--visitsLeft < 0)
      return false;
    bool complete = !place(node, label) || descend(depth + 1, next);
    remove(node, label);
    if (!complete)
      return false;
  }
  return true;
}

} // namespace froe

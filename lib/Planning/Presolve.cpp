#include "Presolve.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Applies one rule to one node. True if labels were removed.
template <typename Rule> bool filter(Model &model, int node, Rule &&isNeeded) {
  std::vector<bool> keep(model.nodes[node].labels());
  for (int label = 0; label < model.nodes[node].labels(); ++label)
    keep[label] = isNeeded(label);
  if (std::ranges::count(keep, false) == 0)
    return false;
  model.keepLabels(node, keep);
  return true;
}

/// P3: whether every neighbour has a label that this one can go with.
bool hasSupport(const Model &model, int node, int label) {
  return std::ranges::all_of(model.nodes[node].edges, [&](int e) {
    const Model::Edge &edge = model.edges[e];
    int others = model.nodes[model.neighbour(edge, node)].labels();
    for (int other = 0; other < others; ++other)
      if (model.edgeCost(edge, node, label, other) != kInfinity)
        return true;
    return false;
  });
}

/// P5, were every other use the smallest possible.
bool fits(const Model &model, int node, int label, const std::vector<int64_t> &smallest) {
  // Several uses of one node may be live in one slot.
  std::vector<int64_t> extra(model.slots, 0);
  for (const Model::Use &use : model.nodes[node].uses) {
    int64_t above = use.bytes[label] - std::ranges::min(use.bytes);
    for (int t = use.begin; above > 0 && t < use.end; ++t)
      if ((extra[t] += above) + smallest[t] > model.limit)
        return false;
  }
  return true;
}

/// How much dearer `a` is than `b` at least, over each `stride`-th label of the neighbours; what both exclude does not
/// count.
double advantage(const Model &model, int node, int a, int b, int stride) {
  double total = model.nodes[node].cost[a] - model.nodes[node].cost[b];
  for (int e : model.nodes[node].edges) {
    const Model::Edge &edge = model.edges[e];
    double least = kInfinity;
    int others = model.nodes[model.neighbour(edge, node)].labels();
    for (int other = 0; other < others; other += stride) {
      double costA = model.edgeCost(edge, node, a, other), costB = model.edgeCost(edge, node, b, other);
      if (costA != kInfinity)
        least = std::min(least, costA - costB);
    }
    total += least;
    if (total == -kInfinity)
      break;
  }
  return total;
}

/// A few of the neighbours' labels already show of most pairs that neither beats the other.
bool beats(const Model &model, int node, int winner, int loser) {
  constexpr int kSample = 16;
  return !(advantage(model, node, loser, winner, kSample) < 0) && advantage(model, node, loser, winner, 1) >= 0;
}

bool isBeaten(const Model &model, int node, int label, const std::vector<bool> &alive) {
  for (int other = 0; other < model.nodes[node].labels(); ++other) {
    if (other == label || !alive[other])
      continue;
    bool smaller = std::ranges::all_of(model.nodes[node].uses,
                                       [&](const Model::Use &use) { return use.bytes[other] <= use.bytes[label]; });
    if (smaller && beats(model, node, other, label))
      return true;
  }
  return false;
}

bool removeBeaten(Model &model, int node) {
  // Comparing all pairs of labels of a hub costs more than it can save.
  constexpr double kMaxWork = 2e7;
  double neighbours = 0, labels = model.nodes[node].labels();
  for (int e : model.nodes[node].edges)
    neighbours += model.nodes[model.neighbour(model.edges[e], node)].labels();
  if (labels * labels * neighbours > kMaxWork)
    return false;
  // One by one, so that of two equal labels one stays.
  std::vector<bool> alive(model.nodes[node].labels(), true);
  for (int label = model.nodes[node].labels() - 1; label >= 0; --label)
    alive[label] = !isBeaten(model, node, label, alive);
  return filter(model, node, [&](int label) { return alive[label]; });
}
} // namespace

bool presolve(Model &model) {
  std::vector<bool> dirty(model.nodes.size(), true);
  auto wake = [&](int node) {
    dirty[node] = true;
    for (int e : model.nodes[node].edges)
      dirty[model.neighbour(model.edges[e], node)] = true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int64_t> smallest = model.smallestUsage();
    if (std::ranges::any_of(smallest, [&](int64_t bytes) { return bytes > model.limit; }))
      return false;
    for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node) {
      bool capacity =
          model.slots > 0 && filter(model, node, [&](int label) { return fits(model, node, label, smallest); });
      if (model.nodes[node].labels() == 0)
        return false;
      if (!capacity && !dirty[node])
        continue;
      dirty[node] = false;
      bool support = filter(model, node, [&](int label) { return hasSupport(model, node, label); });
      if (model.nodes[node].labels() == 0)
        return false;
      if (removeBeaten(model, node) || support || capacity) {
        wake(node);
        changed = true;
      }
    }
  }
  return true;
}

} // namespace froe

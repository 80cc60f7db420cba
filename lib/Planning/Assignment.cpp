#include "Assignment.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Gains below this part of the cost are rounding, and could be made in circles.
constexpr double kLeastGain = 1e-12;
} // namespace

Assignment::Assignment(const Model &model, std::vector<int> given)
    : model(model), labels(std::move(given)), usage(model.usageOf(labels)), cost(model.costOf(labels)) {}

int64_t Assignment::peak() const { return usage.empty() ? 0 : std::ranges::max(usage); }

void Assignment::costsAt(int node, std::vector<double> &costs, int except) const {
  costs = model.nodes[node].cost;
  for (int e : model.nodes[node].edges) {
    const Model::Edge &edge = model.edges[e];
    int other = model.neighbour(edge, node);
    if (other == except)
      continue;
    int columns = model.nodes[edge.b].labels(), count = static_cast<int>(costs.size());
    const double *values = edge.cost.get().data() + (edge.a == node ? labels[other] : labels[other] * columns);
    int64_t step = edge.a == node ? columns : 1;
    for (int label = 0; label < count; ++label)
      costs[label] += values[label * step];
  }
}

int64_t Assignment::excessChange(int node, int label, int64_t limit) const {
  const std::vector<Model::Use> &uses = model.nodes[node].uses;
  auto changeAt = [&](const Model::Use &use) { return use.bytes[label] - use.bytes[labels[node]]; };
  auto above = [&](int64_t bytes) { return std::max<int64_t>(0, bytes - limit); };
  if (std::ranges::all_of(uses, [&](const Model::Use &use) { return changeAt(use) == 0; }))
    return 0;
  int64_t total = 0;
  if (uses.size() == 1) {
    for (int t = uses[0].begin; t < uses[0].end; ++t)
      total += above(usage[t] + changeAt(uses[0])) - above(usage[t]);
    return total;
  }
  std::map<int, int64_t> changes; // uses may overlap
  for (const Model::Use &use : uses)
    for (int t = use.begin; t < use.end; ++t)
      changes[t] += changeAt(use);
  for (auto [t, change] : changes)
    total += above(usage[t] + change) - above(usage[t]);
  return total;
}

void Assignment::addUsage(int node, int sign) {
  for (const Model::Use &use : model.nodes[node].uses)
    for (int t = use.begin; t < use.end; ++t)
      usage[t] += sign * use.bytes[labels[node]];
}

void Assignment::set(int node, int label) {
  addUsage(node, -1);
  std::vector<double> costs;
  costsAt(node, costs);
  double before = costs[labels[node]];
  labels[node] = label;
  // Leaving an excluded combination: the difference of infinities says nothing.
  cost = std::isfinite(before) && std::isfinite(cost) ? cost + costs[label] - before : model.costOf(labels);
  addUsage(node, 1);
}

int Assignment::fullestSlot() const { return static_cast<int>(std::ranges::max_element(usage) - usage.begin()); }

bool repair(const Model &model, Assignment &assignment, int64_t limit) {
  std::vector<double> costs;
  std::vector<int64_t> bytes;
  while (!assignment.fits(limit)) {
    int slot = assignment.fullestSlot();
    double bestPrice = kInfinity;
    int bestNode = -1, bestLabel = -1;
    for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node) {
      if (model.nodes[node].labels() == 1 || !model.bytesAt(node, slot, bytes))
        continue;
      assignment.costsAt(node, costs);
      int current = assignment.getLabels()[node];
      for (int label = 0; label < model.nodes[node].labels(); ++label) {
        double price = (costs[label] - costs[current]) / double(bytes[current] - bytes[label]);
        if (bytes[label] < bytes[current] && price < bestPrice && assignment.excessChange(node, label, limit) < 0) {
          bestPrice = price;
          bestNode = node;
          bestLabel = label;
        }
      }
    }
    if (bestNode < 0)
      return false;
    assignment.set(bestNode, bestLabel);
  }
  return true;
}

namespace {
bool improveNode(const Model &model, Assignment &assignment, int node) {
  std::vector<double> costs;
  assignment.costsAt(node, costs);
  double current = costs[assignment.getLabels()[node]], least = kLeastGain * assignment.getCost();
  int best = -1;
  for (int label = 0; label < static_cast<int>(costs.size()); ++label)
    if (costs[label] < current - least && (best < 0 || costs[label] < costs[best]) &&
        assignment.excessChange(node, label, model.limit) <= 0)
      best = label;
  if (best >= 0)
    assignment.set(node, best);
  return best >= 0;
}

bool improvePair(const Model &model, Assignment &assignment, const Model::Edge &edge) {
  std::vector<double> costsA, costsB;
  assignment.costsAt(edge.a, costsA, edge.b);
  assignment.costsAt(edge.b, costsB, edge.a);
  int oldA = assignment.getLabels()[edge.a], oldB = assignment.getLabels()[edge.b];
  double best = costsA[oldA] + costsB[oldB] + model.edgeCost(edge, oldA, oldB) - kLeastGain * assignment.getCost();
  bool changed = false;
  for (int a = 0; a < model.nodes[edge.a].labels(); ++a)
    for (int b = 0; b < model.nodes[edge.b].labels(); ++b) {
      double total = costsA[a] + costsB[b] + model.edgeCost(edge, a, b);
      if (!(total < best))
        continue;
      assignment.set(edge.a, a);
      assignment.set(edge.b, b);
      if (assignment.fits(model.limit)) {
        best = total;
        oldA = a;
        oldB = b;
        changed = true;
        continue;
      }
      assignment.set(edge.a, oldA);
      assignment.set(edge.b, oldB);
    }
  return changed;
}
} // namespace

void improve(const Model &model, Assignment &assignment) {
  constexpr int kMaxPasses = 20;
  constexpr size_t kMaxPairs = 1'000'000;
  size_t pairs = 0;
  for (const Model::Edge &edge : model.edges)
    pairs += edge.cost.size();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool changed = false;
    for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node)
      changed |= improveNode(model, assignment, node);
    // Pairs are dear: only where single changes are at an end.
    if (!changed && pairs <= kMaxPairs)
      for (const Model::Edge &edge : model.edges)
        changed |= improvePair(model, assignment, edge);
    if (!changed)
      return;
  }
}

} // namespace froe

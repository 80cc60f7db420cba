#include "Reduction.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
uint64_t keyOf(int a, int b) { return uint64_t(uint32_t(std::min(a, b))) << 32 | uint32_t(std::max(a, b)); }
} // namespace

Reduction::Reduction(const Problem &problem) : nodes(problem.nodes.size()) {
  std::vector<int64_t> times;
  if (problem.memoryLimit != Problem::kUnlimited)
    for (const PlanNode &node : problem.nodes)
      for (const MemoryUse &use : node.uses)
        times.insert(times.end(), {use.live.begin, use.live.end});
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  auto slotOf = [&](int64_t time) { return static_cast<int>(std::ranges::lower_bound(times, time) - times.begin()); };
  room.assign(times.empty() ? 0 : times.size() - 1, problem.memoryLimit);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const PlanNode &node = problem.nodes[i];
    nodes[i].cost = node.cost;
    for (int label = 0; node.fixed >= 0 && label < node.strategies(); ++label)
      if (label != node.fixed)
        nodes[i].cost[label] = kInfinity;
    if (!room.empty())
      for (const MemoryUse &use : node.uses)
        nodes[i].segments.push_back({slotOf(use.live.begin), slotOf(use.live.end), use.bytes});
  }
  edges.reserve(problem.edges.size());
  for (const PlanEdge &edge : problem.edges)
    addEdge(edge.from, edge.to, edge.cost);
}

void Reduction::enqueue(int edge) {
  if (!edges[edge].alive || edges[edge].queued)
    return;
  edges[edge].queued = true;
  queue.push_back(edge);
}

void Reduction::enqueueAll(int node) {
  for (int edge : liveEdges(node))
    enqueue(edge);
}

std::vector<int> &Reduction::liveEdges(int node) {
  std::vector<int> &list = nodes[node].edges;
  std::erase_if(list, [&](int edge) { return !edges[edge].alive; });
  return list;
}

/// Parallel edges add up. `cost`: labels of a x labels of b.
void Reduction::addEdge(int a, int b, std::vector<double> cost) {
  auto [it, isNew] = edgeOf.try_emplace(keyOf(a, b), static_cast<int>(edges.size()));
  int number = it->second;
  if (isNew) {
    edges.push_back({a, b, true, false, std::move(cost)});
    nodes[a].edges.push_back(number);
    nodes[b].edges.push_back(number);
  } else {
    Edge &edge = edges[number];
    int rows = nodes[edge.a].labels(), columns = nodes[edge.b].labels();
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        edge.cost[i * columns + j] += edge.a == a ? cost[i * columns + j] : cost[j * rows + i];
  }
  enqueue(number);
}

void Reduction::kill(Edge &edge) {
  edge.alive = false;
  edge.cost = {};
  edgeOf.erase(keyOf(edge.a, edge.b));
}

/// Costs of the edge with the labels of `node` as rows.
std::vector<double> Reduction::matrixFrom(int number, int node) const {
  const Edge &edge = edges[number];
  if (edge.a == node)
    return edge.cost;
  int rows = nodes[edge.a].labels(), columns = nodes[edge.b].labels();
  std::vector<double> turned(edge.cost.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      turned[j * rows + i] = edge.cost[i * columns + j];
  return turned;
}

/// False if no label is left.
bool Reduction::keepLabels(int number, const std::vector<bool> &keep) {
  Node &node = nodes[number];
  std::vector<uint16_t> kept;
  for (int label = 0; label < node.labels(); ++label)
    if (keep[label])
      kept.push_back(static_cast<uint16_t>(label));
  int before = node.labels(), after = static_cast<int>(kept.size());
  if (after == before)
    return true;
  auto shrink = [&](auto &list) {
    for (int k = 0; k < after; ++k)
      list[k] = list[kept[k]];
    list.resize(after);
  };
  for (int e : liveEdges(number)) {
    Edge &edge = edges[e];
    int columns = nodes[edge.b].labels(), rows = nodes[edge.a].labels();
    size_t next = 0;
    for (int i = 0; i < (edge.a == number ? after : rows); ++i)
      for (int j = 0; j < (edge.b == number ? after : columns); ++j)
        edge.cost[next++] = edge.cost[edge.a == number ? kept[i] * columns + j : i * columns + kept[j]];
    edge.cost.resize(next);
    enqueue(e);
  }
  shrink(node.cost);
  for (Segment &segment : node.segments)
    shrink(segment.bytes);
  steps.push_back({number, number, -1, 1, std::move(kept)});
  impossible |= after == 0;
  return after > 0;
}

bool Reduction::dropExcluded(int number) {
  std::vector<bool> keep;
  for (double cost : nodes[number].cost)
    keep.push_back(cost < kInfinity);
  return keepLabels(number, keep);
}

bool Reduction::run() {
  constexpr int kMaxRounds = 12;
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
    if (!dropExcluded(node))
      return false;
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    if (!drainQueue() || !normalise() || !prune(changed))
      return false;
    for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
      if (nodes[node].alive && !impossible && !eliminate(node) && round > 0)
        dominate(node, changed);
    if (impossible)
      return false;
    if (round > 0 && !changed && queue.empty())
      break;
  }
  if (!drainQueue() || !normalise())
    return false;
  return true;
}

std::vector<int> Reduction::expand(std::vector<int> labels) const {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    int index = step->a < 0 ? 0 : labels[step->a];
    if (step->b >= 0)
      index = index * step->columns + labels[step->b];
    labels[step->node] = step->label[index];
  }
  return labels;
}

} // namespace froe

#include "Reduction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Comparisons of labels that a node may cost: dear hubs are left as they are.
constexpr double kMaxWork = 2e7;
} // namespace

/// Takes a node with at most two neighbours out if, whatever they do, its cheapest label is one that needs no memory.
bool Reduction::eliminate(int number) {
  Node &node = nodes[number];
  std::vector<int> around = liveEdges(number);
  if (around.size() > 2)
    return false;
  int count = node.labels(), a = -1, b = -1, rows = 1, columns = 1;
  std::vector<double> toA, toB; // labels of the neighbour as rows
  if (!around.empty()) {
    a = neighbour(around[0], number);
    rows = nodes[a].labels();
    toA = matrixFrom(around[0], a);
  }
  if (around.size() == 2) {
    b = neighbour(around[1], number);
    columns = nodes[b].labels();
    toB = matrixFrom(around[1], b);
  }
  if (double(rows) * columns * count > kMaxWork)
    return false;
  std::vector<bool> small(count, true);
  for (const Segment &segment : node.segments)
    for (int k = 0; k < count; ++k)
      small[k] = small[k] && segment.bytes[k] == 0;
  std::vector<double> least(size_t(rows) * columns, kInfinity);
  std::vector<uint16_t> label(least.size(), 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double free = kInfinity, any = kInfinity;
      size_t at = size_t(i) * columns + j;
      for (int k = 0; k < count; ++k) {
        double cost = node.cost[k] + (a < 0 ? 0 : toA[i * count + k]) + (b < 0 ? 0 : toB[j * count + k]);
        any = std::min(any, cost);
        if (small[k] && cost < free) {
          free = cost;
          label[at] = static_cast<uint16_t>(k);
        }
      }
      if (free > any)
        return false;
      least[at] = free;
    }
  for (int e : around)
    kill(edges[e]);
  steps.push_back({number, a, b, columns, std::move(label)});
  node = {.alive = false, .cost = {}, .segments = {}, .edges = {}};
  if (b >= 0) {
    addEdge(a, b, std::move(least));
    return true;
  }
  if (a < 0) {
    offset += least[0];
    impossible |= least[0] == kInfinity;
    return true;
  }
  for (int i = 0; i < rows; ++i)
    nodes[a].cost[i] += least[i];
  dropExcluded(a);
  return true;
}

namespace {
/// The largest of better[j] - worse[j]; infinity where only `better` excludes j, and j does not count where `worse`
/// does.
double largestIncrease(const double *better, const double *worse, int count) {
  double largest = -kInfinity;
  for (int j = 0; j < count; ++j) {
    if (worse[j] == kInfinity)
      continue;
    if (better[j] == kInfinity)
      return kInfinity;
    largest = std::max(largest, better[j] - worse[j]);
  }
  return largest;
}
} // namespace

/// Goldstein's dominance in cost and in memory.
void Reduction::dominate(int number, bool &changed) {
  Node &node = nodes[number];
  int count = node.labels();
  double width = 1;
  std::vector<std::pair<std::vector<double>, int>> around;
  for (int e : liveEdges(number))
    width += nodes[neighbour(e, number)].labels();
  if (count < 2 || width * count * count > kMaxWork)
    return;
  for (int e : liveEdges(number))
    around.emplace_back(matrixFrom(e, number), nodes[neighbour(e, number)].labels());
  auto beats = [&](int x, int y) {
    for (const Segment &segment : node.segments)
      if (segment.bytes[x] > segment.bytes[y])
        return false;
    double increase = node.cost[x] - node.cost[y];
    for (const auto &[cost, columns] : around) {
      increase += largestIncrease(&cost[x * columns], &cost[y * columns], columns);
      if (increase == kInfinity)
        return false;
    }
    return increase <= 0;
  };
  std::vector<bool> keep(count, true);
  int left = count;
  for (int y = 0; y < count; ++y)
    for (int x = 0; x < count && keep[y]; ++x)
      if (x != y && keep[x] && beats(x, y)) {
        keep[y] = false;
        --left;
      }
  if (left == count)
    return;
  changed = true;
  keepLabels(number, keep);
}

} // namespace froe

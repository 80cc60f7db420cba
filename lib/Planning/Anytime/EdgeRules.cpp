#include "Reduction.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

/// Applies the rules of edges to all that changed. False if a node has no label left.
bool Reduction::drainQueue() {
  while (!queue.empty()) {
    int edge = queue.front();
    queue.pop_front();
    edges[edge].queued = false;
    if (!edges[edge].alive)
      continue;
    if (!checkSupport(edge))
      return false;
    if (!separate(edge))
      fold(edge);
  }
  return true;
}

/// Arc consistency: labels without any partner go.
bool Reduction::checkSupport(int number) {
  const Edge &edge = edges[number];
  int rows = nodes[edge.a].labels(), columns = nodes[edge.b].labels();
  std::vector<bool> keepA(rows, false), keepB(columns, false);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (edge.cost[i * columns + j] < kInfinity)
        keepA[i] = keepB[j] = true;
  return keepLabels(edge.a, keepA) && keepLabels(edge.b, keepB);
}

/// Moves the edge into its ends if its cost is a sum of a part for each.
bool Reduction::separate(int number) {
  Edge &edge = edges[number];
  Node &a = nodes[edge.a], &b = nodes[edge.b];
  int rows = a.labels(), columns = b.labels();
  const std::vector<double> &cost = edge.cost;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (cost[i * columns + j] == kInfinity || cost[i * columns + j] - cost[i * columns] != cost[j] - cost[0])
        return false;
  for (int i = 0; i < rows; ++i)
    a.cost[i] += cost[i * columns];
  for (int j = 0; j < columns; ++j)
    b.cost[j] += cost[j] - cost[0];
  kill(edge);
  return true;
}

/// Functional folding, of the end with fewer edges where both could go.
bool Reduction::fold(int number) {
  const Edge &edge = edges[number];
  int rows = nodes[edge.a].labels(), columns = nodes[edge.b].labels();
  std::vector<uint16_t> ofA(columns), ofB(rows); // what is left of a for each label of b, and the reverse
  std::vector<int> inRow(rows), inColumn(columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (edge.cost[i * columns + j] < kInfinity) {
        ofB[i] = static_cast<uint16_t>(j);
        ofA[j] = static_cast<uint16_t>(i);
        ++inRow[i];
        ++inColumn[j];
      }
  auto single = [](const std::vector<int> &counts) {
    return std::ranges::all_of(counts, [](int n) { return n == 1; });
  };
  bool bFollows = single(inRow), aFollows = single(inColumn);
  if (!aFollows && !bFollows)
    return false;
  int a = edge.a, b = edge.b;
  if (aFollows && bFollows)
    bFollows = liveEdges(b).size() <= liveEdges(a).size();
  if (bFollows)
    absorb(b, a, number, ofB);
  else
    absorb(a, b, number, ofA);
  return true;
}

/// `label`: of `node`, for each label of `into`.
void Reduction::absorb(int number, int into, int through, const std::vector<uint16_t> &label) {
  Node &node = nodes[number], &target = nodes[into];
  int count = target.labels();
  std::vector<double> costs = matrixFrom(through, into);
  for (int k = 0; k < count; ++k)
    target.cost[k] += node.cost[label[k]] + costs[k * node.labels() + label[k]];
  for (Segment &segment : node.segments) {
    std::vector<int64_t> bytes(count);
    for (int k = 0; k < count; ++k)
      bytes[k] = segment.bytes[label[k]];
    auto same = std::ranges::find_if(
        target.segments, [&](const Segment &s) { return s.begin == segment.begin && s.end == segment.end; });
    if (target.segments.size() > 64 || same == target.segments.end())
      target.segments.push_back({segment.begin, segment.end, std::move(bytes)});
    else
      std::ranges::transform(bytes, same->bytes, same->bytes.begin(), std::plus<>());
  }
  kill(edges[through]);
  for (int e : std::vector<int>(liveEdges(number))) {
    int other = neighbour(e, number), width = nodes[other].labels();
    std::vector<double> from = matrixFrom(e, number), moved(size_t(count) * width);
    kill(edges[e]);
    for (int k = 0; k < count; ++k)
      std::copy_n(from.begin() + int64_t(label[k]) * width, width, moved.begin() + int64_t(k) * width);
    addEdge(into, other, std::move(moved));
  }
  node = {.alive = false, .cost = {}, .segments = {}, .edges = {}};
  steps.push_back({number, into, -1, 1, label});
}

} // namespace froe

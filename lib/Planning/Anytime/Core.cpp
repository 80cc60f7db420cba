#include "Core.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largestFinite(const std::vector<double> &values) {
  double largest = 0;
  for (double value : values)
    if (value < kInfinity)
      largest = std::max(largest, value);
  return largest;
}

/// Layers repeat, and so do their matrices: equal ones are stored once, so that all of them stay in the cache.
class SharedMatrices {
public:
  /// Where a matrix equal to the one from `begin` to the end lies; that one is dropped if it is not the first.
  int64_t place(std::vector<double> &matrices, int64_t begin) {
    std::string_view text(reinterpret_cast<const char *>(&matrices[begin]), (matrices.size() - begin) * sizeof(double));
    std::vector<Place> &same = places[std::hash<std::string_view>()(text)];
    for (const Place &place : same)
      if (place.size == matrices.size() - begin &&
          std::equal(matrices.begin() + begin, matrices.end(), matrices.begin() + place.begin)) {
        matrices.resize(begin);
        return place.begin;
      }
    same.push_back({begin, matrices.size() - begin});
    return begin;
  }

private:
  struct Place {
    int64_t begin;
    size_t size;
  };
  std::unordered_map<size_t, std::vector<Place>> places;
};
} // namespace

Core::Core(const Reduction &reduction) : room(reduction.getRoom()), offset(reduction.getOffset()) {
  const std::vector<Reduction::Node> &from = reduction.getNodes();
  const std::vector<Reduction::Edge> &edges = reduction.getEdges();
  std::vector<int> number(from.size(), -1);
  for (size_t i = 0, next = 0; i < from.size(); ++i)
    if (from[i].alive)
      number[i] = static_cast<int>(next++);
  excluded = 1;
  std::vector<std::vector<std::pair<int, int>>> around(from.size()); // neighbour, edge
  for (size_t e = 0; e < edges.size(); ++e)
    if (edges[e].alive) {
      around[edges[e].a].emplace_back(edges[e].b, static_cast<int>(e));
      around[edges[e].b].emplace_back(edges[e].a, static_cast<int>(e));
      excluded += largestFinite(edges[e].cost);
      cells += 2 * static_cast<int64_t>(edges[e].cost.size());
    }
  for (const Reduction::Node &node : from)
    excluded += largestFinite(node.cost);
  matrices.reserve(cells + kLanes); // pages that stay untouched take no memory; growing would copy
  SharedMatrices shared;
  auto value = [&](double cost) {
    integral = integral && (cost == kInfinity || cost == std::floor(cost));
    return cost == kInfinity ? excluded : cost;
  };
  std::vector<int> firstArcOf(edges.size(), -1);
  integral = offset == std::floor(offset);
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i].alive)
      continue;
    std::ranges::sort(around[i]);
    Node &node = nodes.emplace_back();
    node = {.labels = from[i].labels(),
            .original = static_cast<int>(i),
            .cost = static_cast<int64_t>(costs.size()),
            .firstArc = static_cast<int>(arcs.size()),
            .endArc = 0,
            .firstSegment = static_cast<int>(segments.size()),
            .endSegment = 0,
            .forward = 0};
    node.forward = node.firstArc;
    for (double cost : from[i].cost)
      costs.push_back(value(cost));
    for (const Reduction::Segment &segment : from[i].segments) {
      segments.push_back({segment.begin, segment.end, static_cast<int64_t>(bytes.size())});
      bytes.insert(bytes.end(), segment.bytes.begin(), segment.bytes.end());
    }
    for (auto [other, e] : around[i]) {
      const Reduction::Edge &edge = edges[e];
      node.forward += other < static_cast<int>(i);
      arcs.push_back({number[other], firstArcOf[e], static_cast<int64_t>(matrices.size())});
      if (firstArcOf[e] >= 0)
        arcs[firstArcOf[e]].reverse = static_cast<int>(arcs.size()) - 1;
      firstArcOf[e] = static_cast<int>(arcs.size()) - 1;
      int64_t begin = static_cast<int64_t>(matrices.size());
      int rows = from[edge.a].labels(), columns = from[edge.b].labels();
      if (edge.a == static_cast<int>(i))
        for (double cost : edge.cost)
          matrices.push_back(value(cost));
      else
        for (int column = 0; column < columns; ++column)
          for (int row = 0; row < rows; ++row)
            matrices.push_back(value(edge.cost[row * columns + column]));
      arcs.back().matrix = shared.place(matrices, begin);
    }
    node.endArc = static_cast<int>(arcs.size());
    node.endSegment = static_cast<int>(segments.size());
    allLabels += node.labels;
  }
  matrices.resize(matrices.size() + kLanes, excluded); // minPlus reads over the end
}

double Core::costOf(const std::vector<int> &labels) const {
  double total = 0;
  for (int i = 0; i < size(); ++i) {
    const Node &node = nodes[i];
    total += costs[node.cost + labels[i]];
    for (int a = node.forward; a < node.endArc; ++a)
      total += matrices[arcs[a].matrix + int64_t(labels[i]) * nodes[arcs[a].other].labels + labels[arcs[a].other]];
  }
  return total;
}

std::vector<int64_t> Core::usageOf(const std::vector<int> &labels) const {
  std::vector<int64_t> usage(room.size() + 1, 0);
  for (int i = 0; i < size(); ++i)
    for (int s = nodes[i].firstSegment; s < nodes[i].endSegment; ++s) {
      usage[segments[s].begin] += bytes[segments[s].bytes + labels[i]];
      usage[segments[s].end] -= bytes[segments[s].bytes + labels[i]];
    }
  for (size_t t = 1; t < usage.size(); ++t)
    usage[t] += usage[t - 1];
  usage.pop_back();
  return usage;
}

bool Core::fits(const std::vector<int64_t> &usage) const {
  for (size_t t = 0; t < room.size(); ++t)
    if (usage[t] > room[t])
      return false;
  return true;
}

/// Sums of many doubles are off in the last bits, so a bound is rounded up only from clearly above the integer before.
double Core::sureBound(double value) const {
  if (std::isinf(value))
    return value;
  value -= 1e-11 * std::abs(value);
  return integral ? std::ceil(value - 1e-3) : value;
}

bool Core::isBelow(double bound, double known) const {
  return sureBound(bound) < known - (integral || std::isinf(known) ? 0 : 1e-9 * std::abs(known));
}

void Core::addPrices(const Node &node, const std::vector<double> &sums, double scale, double *costs) const {
  for (int s = node.firstSegment; s < node.endSegment; ++s) {
    double price = scale * (sums[segments[s].end] - sums[segments[s].begin]);
    if (price == 0)
      continue;
    const int64_t *amount = &bytes[segments[s].bytes];
    for (int k = 0; k < node.labels; ++k)
      costs[k] += price * double(amount[k]);
  }
}

namespace {
typedef double Lanes __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double))));
}

/// Eight columns at a time stay in registers over all rows. The last eight may reach into the next row: what they hold
/// there is not used.
__attribute__((target_clones("avx512f", "avx2", "default"))) void minPlus(const double *in, const double *matrix,
                                                                          int rows, int columns, double *out) {
  for (int j = 0; j < columns; j += kLanes) {
    const double *at = matrix + j;
    Lanes least = *reinterpret_cast<const Lanes *>(at) + in[0];
    for (int i = 1; i < rows; ++i) {
      at += columns;
      Lanes sum = *reinterpret_cast<const Lanes *>(at) + in[i];
      least = sum < least ? sum : least;
    }
    *reinterpret_cast<Lanes *>(out + j) = least;
  }
}

std::vector<double> prefixSums(const std::vector<double> &values) {
  std::vector<double> sums(values.size() + 1, 0);
  for (size_t t = 0; t < values.size(); ++t)
    sums[t + 1] = sums[t] + values[t];
  return sums;
}

} // namespace froe

#include "froe/Cost/Collectives.h"

#include "froe/Cost/Compute.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace froe {

namespace {
using Kind = ReshardStep::Kind;

/// Devices in one group of each level, innermost first; 0: all.
std::vector<int64_t> groupSizes(const Cluster &cluster) {
  std::vector<int64_t> sizes;
  if (cluster.hasMeasuredLinks())
    sizes.push_back(cluster.levels.empty() ? 0 : cluster.hostDevices);
  for (const LinkLevel &level : cluster.levels)
    sizes.push_back(level.devices);
  if (!sizes.empty())
    sizes.back() = 0; // the last level joins whatever there is
  return sizes;
}

/// How many devices of an axis lie in the same group of `size` consecutive ones.
int64_t together(int64_t size, int64_t axisSize, int64_t stride, int64_t meshDevices) {
  if (size == 0 || meshDevices <= size)
    return axisSize;
  return size % stride == 0 ? std::gcd(axisSize, size / stride) : 1;
}

const CollectiveRates &ratesOf(const Cluster &cluster, Kind kind) {
  switch (kind) {
  case Kind::AllReduce:
    return cluster.allReduce;
  case Kind::ReduceScatter:
    return cluster.reduceScatter;
  case Kind::AllToAll:
    return cluster.allToAll;
  case Kind::AllGather:
  case Kind::Slice:
    break;
  }
  return cluster.allGather;
}

/// How much longer a transfer takes because others use the same memory.
double contention(const Cluster &cluster, int64_t groupSize) {
  return cluster.linksShared ? std::max<double>(1, double(std::max(cluster.devicesPerHost(), groupSize)) / 2) : 1;
}

/// Bytes that each device sends in level `l`, as a multiple of its local bytes (see StepTimes).
double sentInLevel(Kind kind, const std::vector<int64_t> &parts, size_t l, bool inNetworkReduction) {
  double below = 1, all = 1; // P_(l-1), n
  for (size_t i = 0; i < parts.size(); ++i) {
    below *= i < l ? double(parts[i]) : 1;
    all *= double(parts[i]);
  }
  double part = double(parts[l]), above = all / below / part;
  switch (kind) {
  case Kind::AllGather:
  case Kind::ReduceScatter:
    return (part - 1) * above;
  case Kind::AllReduce: {
    double ring = 2 * (part - 1) / part;
    return (inNetworkReduction && above == 1 ? std::min(ring, 1 + 1 / part) : ring) / below;
  }
  case Kind::AllToAll:
    return below * (part - 1) / all;
  case Kind::Slice:
    return 0;
  }
  return 0;
}

/// Those that are the lowest somewhere at or above 0, by falling slope.
std::vector<StepTimes::Line> lowest(std::vector<StepTimes::Line> lines) {
  std::ranges::sort(lines, [](const auto &a, const auto &b) {
    return std::pair(-a.secondsPerByte, a.seconds) < std::pair(-b.secondsPerByte, b.seconds);
  });
  auto meet = [](const StepTimes::Line &a, const StepTimes::Line &b) { // at which byte `b` gets below `a`
    return (b.seconds - a.seconds) / (a.secondsPerByte - b.secondsPerByte);
  };
  std::vector<StepTimes::Line> kept;
  for (const StepTimes::Line &line : lines) {
    if (!kept.empty() && kept.back().secondsPerByte == line.secondsPerByte)
      continue;
    while (!kept.empty() && (line.seconds <= kept.back().seconds ||
                             (kept.size() > 1 && meet(kept.back(), line) <= meet(kept[kept.size() - 2], kept.back()))))
      kept.pop_back();
    kept.push_back(line);
  }
  return kept;
}

/// The lowest sums of one line of each.
std::vector<StepTimes::Line> sumsOf(const std::vector<StepTimes::Line> &a, const std::vector<StepTimes::Line> &b) {
  std::vector<StepTimes::Line> sums;
  for (const StepTimes::Line &first : a)
    for (const StepTimes::Line &second : b)
      sums.push_back({first.seconds + second.seconds, first.secondsPerByte + second.secondsPerByte});
  return lowest(std::move(sums));
}
} // namespace

std::vector<int64_t> levelParts(const Cluster &cluster, const Mesh &mesh, const AxisList &axes) {
  std::vector<int64_t> parts;
  std::vector<int64_t> inner(mesh.axes.size(), 1); // of each axis in the levels below
  int64_t devices = mesh.deviceCount();
  for (int64_t size : groupSizes(cluster)) {
    int64_t part = 1;
    for (AxisIndex axis : axes) {
      int64_t stride = 1;
      for (int other = axis + 1; other < mesh.axisCount(); ++other)
        stride *= mesh.axes[other].size;
      int64_t inside = together(size, mesh.axes[axis].size, stride, devices);
      part *= inside / inner[axis];
      inner[axis] = inside;
    }
    parts.push_back(part);
  }
  return parts;
}

StepTimes::Terms StepTimes::termsOf(const Cluster &cluster, Kind kind, const std::vector<int64_t> &parts) {
  Terms terms;
  terms.ways = {Line()};
  size_t first = cluster.hasMeasuredLinks() ? 1 : 0;
  for (size_t l = first; l < parts.size(); ++l) {
    if (parts[l] == 1)
      continue;
    const LinkLevel &level = cluster.levels[l - first];
    std::vector<Line> ways;
    for (const LinkAlgorithm &algorithm : level.algorithms)
      ways.push_back(
          {algorithm.latency(double(parts[l]), kind == Kind::AllReduce ? 2 : 1),
           sentInLevel(kind, parts, l, algorithm.inNetworkReduction) / (algorithm.share * level.bytesPerSecond)});
    terms.ways = sumsOf(terms.ways, ways);
  }
  if (first == 0 || parts[0] == 1)
    return terms;
  const CollectiveRates &rates = ratesOf(cluster, kind);
  double sent = sentInLevel(kind, parts, 0, false), slower = contention(cluster, parts[0]);
  for (Line &way : terms.ways)
    way.seconds += rates.latencySeconds + double(parts[0] - 2) * rates.latencySecondsPerRank;
  terms.cachedBytes = double(rates.cacheBytes) / sent;
  terms.secondsPerCachedByte += sent * slower / rates.cacheBytesPerSecond;
  terms.secondsPerByte += sent * slower / rates.bytesPerSecond;
  return terms;
}

StepTimes::StepTimes(const Cluster &cluster, const Mesh &mesh) : table{} {
  assert(mesh.axisCount() <= 4);
  for (unsigned set = 1; set < 1u << mesh.axisCount(); ++set) {
    AxisList axes;
    for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
      if (set >> axis & 1)
        axes.push_back(axis);
    if (mesh.blocks(axes) == 1)
      continue;
    std::vector<int64_t> parts = levelParts(cluster, mesh, axes);
    for (Kind kind : {Kind::AllGather, Kind::AllReduce, Kind::ReduceScatter, Kind::AllToAll})
      table[size_t(kind)][set] = termsOf(cluster, kind, parts);
    // Read and written once.
    table[size_t(Kind::Slice)][set] = {.ways = {Line{cluster.device.kernelOverheadSeconds, 0}},
                                       .cachedBytes = double(cluster.device.cacheBytes) / 2,
                                       .secondsPerCachedByte = 2 / cluster.device.cacheBytesPerSecond,
                                       .secondsPerByte = 2 / cluster.memoryBytesPerSecond()};
  }
}

double collectiveSeconds(const Cluster &cluster, Kind kind, int64_t bytesSent, int64_t groupSize) {
  if (groupSize < 2 || kind == Kind::Slice)
    return 0;
  Mesh mesh{{{"x", groupSize}}};
  int64_t sentOfLargeBlock = bytesSentIn({.kind = kind, .axes = {0}, .result = {}}, mesh, groupSize, groupSize);
  double local = double(bytesSent) * double(groupSize) / double(sentOfLargeBlock);
  return StepTimes(cluster, mesh).seconds(kind, 1, local, local);
}

double sendSeconds(const Cluster &cluster, int64_t bytes, int64_t from, int64_t to) {
  std::vector<int64_t> sizes = groupSizes(cluster);
  size_t l = 0;
  while (sizes[l] > 0 && from / sizes[l] != to / sizes[l])
    ++l;
  if (cluster.hasMeasuredLinks()) {
    const CollectiveRates &rates = cluster.sendRecv;
    auto cached = double(std::min(bytes, rates.cacheBytes));
    if (l == 0)
      return rates.latencySeconds +
             (cached / rates.cacheBytesPerSecond + (double(bytes) - cached) / rates.bytesPerSecond) *
                 contention(cluster, 2);
    --l;
  }
  const LinkLevel &level = cluster.levels[l];
  double best = std::numeric_limits<double>::max();
  for (const LinkAlgorithm &algorithm : level.algorithms)
    best = std::min(best, algorithm.latencySeconds + algorithm.latencySecondsPerHop +
                              double(bytes) / (algorithm.share * level.bytesPerSecond));
  return best;
}

double stepSeconds(const Cluster &cluster, const Mesh &mesh, const ReshardStep &step, int64_t localBytesBefore,
                   int64_t localBytesAfter) {
  return StepTimes(cluster, mesh).seconds(step, localBytesBefore, localBytesAfter);
}

StepCost stepCost(const Cluster &cluster, const Mesh &mesh) {
  return [times = StepTimes(cluster, mesh)](const ReshardStep &step, int64_t before, int64_t after) {
    return times.seconds(step, before, after);
  };
}

MoveCost moveCost(const Cluster &cluster, const Mesh &mesh) {
  return [times = StepTimes(cluster, mesh)](Kind kind, unsigned axes, int64_t before, int64_t after) {
    return times.seconds(kind, axes, double(before), double(after));
  };
}

} // namespace froe

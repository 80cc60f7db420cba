#include "froe/Cost/Cluster.h"

#include "Presets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <sstream>

namespace froe {

MatmulRates::Point MatmulRates::at(int64_t m, int64_t n, int64_t k) const {
  int64_t smallestDim = std::min({m, n, k});
  if (points.empty()) {
    auto filled = [&](int64_t size) {
      return double(std::max<int64_t>(size, 1)) / double(std::max<int64_t>(size, 1) + halfDim);
    };
    return {smallestDim, peakFlopsPerSecond * efficiency * filled(m) * filled(n) * filled(k), overlap};
  }
  auto above = std::ranges::lower_bound(points, smallestDim, {}, &Point::smallestDim);
  if (above == points.begin())
    return points.front();
  if (above == points.end())
    return points.back();
  const Point &low = *(above - 1), &high = *above;
  double part = std::log(double(smallestDim) / low.smallestDim) / std::log(double(high.smallestDim) / low.smallestDim);
  return {smallestDim, std::lerp(low.flopsPerSecond, high.flopsPerSecond, part),
          std::lerp(low.overlap, high.overlap, part)};
}

double MatmulRates::bestFlopsPerSecond() const {
  double best = peakFlopsPerSecond * efficiency;
  for (const Point &point : points)
    best = std::max(best, point.flopsPerSecond);
  return best;
}

std::string_view name(LinkKind kind) {
  constexpr std::string_view names[] = {"nvlink", "pcie", "infiniband", "ethernet", "shared_memory"};
  return names[size_t(kind)];
}

Cluster Cluster::withDevices(int64_t count) const {
  Cluster cluster = *this;
  cluster.devices = count;
  return cluster;
}

int64_t Cluster::devicesPerHost() const {
  int64_t inUse = std::max<int64_t>(devices, 1);
  return hostDevices > 0 ? std::min(hostDevices, inUse) : inUse;
}

int64_t Cluster::memoryLimitBytes() const {
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (device.memoryBytes > 0)
    limit = device.memoryBytes;
  if (hostMemoryBytes > 0)
    limit = std::min(limit, hostMemoryBytes / devicesPerHost());
  return limit;
}

double Cluster::memoryBytesPerSecond() const {
  if (hostBytesPerSecond <= 0)
    return device.memoryBytesPerSecond;
  return std::min(device.memoryBytesPerSecond, hostBytesPerSecond / double(devicesPerHost()));
}

const MatmulRates &Cluster::matmulRates(std::string_view elementType) const {
  auto it = device.matmul.find(std::string(elementType));
  return it != device.matmul.end() ? it->second : device.matmul.at("f32");
}

double LinkAlgorithm::latency(double devices, double rounds) const {
  return latencySeconds +
         rounds * ((devices - 1) * latencySecondsPerHop + std::log2(devices) * latencySecondsPerDoubling);
}

double Cluster::vectorFlopsPerSecond() const {
  return device.vectorFlopsPerSecond > 0 ? device.vectorFlopsPerSecond : matmulRates("f32").flopsPerSecond(1);
}

std::expected<Cluster, std::string> Cluster::load(const std::string &fileOrPreset) {
  if (auto preset = findPreset(fileOrPreset))
    return *preset;
  std::ifstream file(fileOrPreset);
  if (!file)
    return std::unexpected(fmt::format("cluster '{}': no such preset (there is: {}) and no file that can be read",
                                       fileOrPreset, fmt::join(presets(), ", ")));
  std::stringstream text;
  text << file.rdbuf();
  std::expected<Cluster, std::string> cluster = parse(text.str());
  if (!cluster)
    return std::unexpected(fmt::format("{}: {}", fileOrPreset, cluster.error()));
  return cluster;
}

} // namespace froe

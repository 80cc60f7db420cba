#include "froe/Cost/Cluster.h"

#include "Presets.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <sstream>

namespace froe {

double MatmulRates::flopsPerSecond(int64_t smallestDim) const {
  assert(!points.empty());
  auto above = std::ranges::lower_bound(points, smallestDim, {}, &Point::smallestDim);
  if (above == points.begin())
    return points.front().flopsPerSecond;
  if (above == points.end())
    return points.back().flopsPerSecond;
  const Point &low = *(above - 1), &high = *above;
  double part = std::log(double(smallestDim) / low.smallestDim) / std::log(double(high.smallestDim) / low.smallestDim);
  return low.flopsPerSecond + part * (high.flopsPerSecond - low.flopsPerSecond);
}

Cluster Cluster::withDevices(int64_t count) const {
  Cluster cluster = *this;
  cluster.devices = count;
  return cluster;
}

int64_t Cluster::memoryLimitBytes() const {
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (device.memoryBytes > 0)
    limit = device.memoryBytes;
  if (hostMemoryBytes > 0)
    limit = std::min(limit, hostMemoryBytes / std::max<int64_t>(devices, 1));
  return limit;
}

double Cluster::memoryBytesPerSecond() const {
  if (hostBytesPerSecond <= 0)
    return device.memoryBytesPerSecond;
  return std::min(device.memoryBytesPerSecond, hostBytesPerSecond / std::max<int64_t>(devices, 1));
}

const MatmulRates &Cluster::matmulRates(std::string_view elementType) const {
  auto it = device.matmul.find(std::string(elementType));
  return it != device.matmul.end() ? it->second : device.matmul.at("f32");
}

std::vector<std::string_view> Cluster::presets() { return {"cpu"}; }

namespace {
/// `cpu` or `cpu:4`; nullopt where the name before the colon is no preset.
std::optional<std::expected<Cluster, std::string>> findPreset(std::string_view text) {
  size_t colon = text.find(':');
  if (text.substr(0, colon) != "cpu")
    return std::nullopt;
  Cluster cluster = cpuPreset();
  if (colon == std::string_view::npos)
    return cluster;
  std::string_view number = text.substr(colon + 1);
  auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), cluster.devices);
  if (code != std::errc() || end != number.data() + number.size() || cluster.devices < 1)
    return std::unexpected(
        fmt::format("cluster '{}': expected a number of devices behind the colon, found '{}'", text, number));
  return cluster;
}
} // namespace

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

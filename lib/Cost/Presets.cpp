#include "Presets.h"

#include <charconv>
#include <fmt/format.h>

namespace froe {

namespace {
/// `8` or `8x128`: devices of a node and, behind the x, nodes.
std::optional<std::pair<int64_t, int64_t>> parseCounts(std::string_view text) {
  constexpr int64_t kMost = 1 << 20;
  int64_t counts[2] = {0, 1};
  const char *at = text.data(), *end = text.data() + text.size();
  for (int64_t &count : counts) {
    auto [stop, code] = std::from_chars(at, end, count);
    if (code != std::errc() || count < 1 || count > kMost)
      return std::nullopt;
    at = stop;
    if (at == end)
      break;
    if (&count == &counts[1] || *at++ != 'x')
      return std::nullopt;
  }
  if (counts[0] * counts[1] > kMost)
    return std::nullopt;
  return std::pair(counts[0], counts[1]);
}

/// 25 Gb/s Ethernet, as cloud hosts without accelerators have it, shared by the devices of a host; 90 % of the wire.
LinkLevel hostEthernet(int64_t devicesPerHost) {
  return {.kind = LinkKind::Ethernet,
          .bytesPerSecond = 0.9 * 25e9 / 8 / double(devicesPerHost),
          .algorithms = {{.latencySeconds = 50e-6, .latencySecondsPerDoubling = 25e-6}}};
}

Cluster withNodes(Cluster cluster, int64_t devicesPerNode, int64_t nodes) {
  cluster.devices = devicesPerNode * nodes;
  if (cluster.hasMeasuredLinks()) {
    if (nodes > 1) {
      cluster.hostDevices = devicesPerNode;
      cluster.levels = {hostEthernet(devicesPerNode)};
    }
    return cluster;
  }
  cluster.levels.front().devices = devicesPerNode;
  if (nodes == 1)
    cluster.levels.resize(1);
  return cluster;
}
} // namespace

std::vector<std::string_view> Cluster::presets() {
  std::vector<std::string_view> names = gpuPresets();
  names.insert(names.begin(), "cpu");
  return names;
}

std::optional<std::expected<Cluster, std::string>> findPreset(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  std::optional<Cluster> cluster = name == "cpu" ? cpuPreset() : gpuPreset(name);
  if (!cluster)
    return std::nullopt;
  if (colon == std::string_view::npos)
    return *cluster;
  std::string_view counts = text.substr(colon + 1);
  auto parsed = parseCounts(counts);
  if (!parsed)
    return std::unexpected(
        fmt::format("cluster '{}': expected devices, or DEVICESxNODES, behind the colon, at most 2^20 "
                    "in all, found '{}'",
                    text, counts));
  Cluster sized = withNodes(*cluster, parsed->first, parsed->second);
  sized.name = text;
  return sized;
}

} // namespace froe

// GPU servers, in the figures of NVIDIA's data sheets: dense rates (without sparsity), decimal gigabytes. Fractions of
// them that programs reach:
// - large products 85 % of the peak, with a curve that halves the rate at a dim of 64 (see MatmulRates);
// - memory 85 % (2.85 of 3.35 TB/s on an H100 in STREAM-like kernels);
// - NVLink 80 % of its rate in one direction, InfiniBand 84 %: the bus bandwidths that nccl-tests print for large
//   messages (about 230 GB/s on A100, 360 on H100 without in-network reduction, 42 for a 400 Gb/s adapter).
// Latencies follow NCCL's own model of its three protocols (src/graph/tuning.cc): LL sends a flag with every word, and
// so a quarter of the bandwidth; LL128 a flag with 120 bytes; Simple whole chunks, which wait for each other. In a node
// they go around a ring, between nodes up and down a tree, whose first hop through a network adapter adds its 14 us.
// NVLink SHARP answers after 25 us.
#include "Presets.h"

#include <algorithm>

namespace froe {

namespace {
struct Server {
  std::string_view name;
  double memoryBytes, memoryBytesPerSecond;
  double cacheBytes, cacheBytesPerSecond;   ///< half of the L2: what lies near; rate by microbenchmarks
  double f64, f32, tf32, bf16, f16, i8, f8; ///< peaks; 0 where the type has no unit of its own
  double nvlinkBytesPerSecond;              ///< in one direction
  bool inNetworkReduction;                  ///< NVLink SHARP, from the third NVSwitch on
  double adapterBytesPerSecond;             ///< a device's part of the node's adapters
};

constexpr Server kServers[] = {
    // Tesla V100 SXM2 (data sheet 2018); DGX-1: 6 links of 25 GB/s a GPU, 4 EDR adapters of 100 Gb/s for 8 GPUs.
    {"v100", 32e9, 0.9e12, 3e6, 2.1e12, 7.8e12, 15.7e12, 0, 0, 125e12, 0, 0, 150e9, false, 6.25e9},
    // A100 SXM4 (data sheet 2020, 2021); DGX A100: 600 GB/s NVLink in both directions, 8 HDR adapters of 200 Gb/s.
    {"a100-40g", 40e9, 1.555e12, 20e6, 4e12, 19.5e12, 19.5e12, 156e12, 312e12, 312e12, 624e12, 0, 300e9, false, 25e9},
    {"a100-80g", 80e9, 2.039e12, 20e6, 4e12, 19.5e12, 19.5e12, 156e12, 312e12, 312e12, 624e12, 0, 300e9, false, 25e9},
    // H100 SXM5 (data sheet 2023); DGX H100: 900 GB/s NVLink in both directions, 8 NDR adapters of 400 Gb/s.
    {"h100", 80e9, 3.35e12, 25e6, 5.5e12, 67e12, 67e12, 494.5e12, 989e12, 989e12, 1979e12, 1979e12, 450e9, true, 50e9},
    // H200 SXM (data sheet 2024): an H100 with other memory.
    {"h200", 141e9, 4.8e12, 25e6, 5.5e12, 67e12, 67e12, 494.5e12, 989e12, 989e12, 1979e12, 1979e12, 450e9, true, 50e9},
    // HGX B200 (data sheet 2024), an eighth of it: 1.44 TB, 64 TB/s, 14.4 TB/s NVLink in both directions.
    {"b200", 180e9, 8e12, 60e6, 10e12, 37e12, 75e12, 1125e12, 2250e12, 2250e12, 4500e12, 4500e12, 900e9, true, 50e9},
};

MatmulRates curve(double peak) { return {.points = {}, .peakFlopsPerSecond = peak, .efficiency = 0.85, .halfDim = 64}; }

Device deviceOf(const Server &server) {
  Device device;
  device.memoryBytes = int64_t(server.memoryBytes);
  device.memoryBytesPerSecond = 0.85 * server.memoryBytesPerSecond;
  device.cacheBytes = int64_t(server.cacheBytes);
  device.cacheBytesPerSecond = server.cacheBytesPerSecond;
  device.kernelOverheadSeconds = 3e-6;
  device.fusesAttention = true;
  device.vectorFlopsPerSecond = server.f32 / 2; // the peak counts a fused multiply-add as two
  for (auto [type, peak] : {std::pair("f64", server.f64),
                            {"f32", server.f32},
                            {"tf32", server.tf32},
                            {"bf16", server.bf16},
                            {"f16", server.f16},
                            {"i8", server.i8},
                            {"f8E4M3FN", server.f8},
                            {"f8E5M2", server.f8}})
    if (peak > 0)
      device.matmul[type] = curve(peak);
  return device;
}

constexpr int64_t kDevicesPerNode = 8;
} // namespace

std::vector<std::string_view> gpuPresets() {
  std::vector<std::string_view> names;
  for (const Server &server : kServers)
    names.push_back(server.name);
  return names;
}

std::optional<Cluster> gpuPreset(std::string_view name) {
  auto server = std::ranges::find(kServers, name, &Server::name);
  if (server == std::end(kServers))
    return std::nullopt;
  Cluster cluster;
  cluster.name = name;
  cluster.device = deviceOf(*server);
  cluster.levels = {{.kind = LinkKind::NVLink,
                     .devices = kDevicesPerNode,
                     .bytesPerSecond = 0.8 * server->nvlinkBytesPerSecond,
                     .algorithms = {{.latencySeconds = 6.6e-6, .latencySecondsPerHop = 0.6e-6, .share = 0.25},
                                    {.latencySeconds = 14e-6, .latencySecondsPerHop = 1.9e-6, .share = 0.92},
                                    {.latencySeconds = 8.4e-6, .latencySecondsPerHop = 3.4e-6}}},
                    {.kind = LinkKind::InfiniBand,
                     .bytesPerSecond = 0.84 * server->adapterBytesPerSecond,
                     .algorithms = {{.latencySeconds = 14e-6, .latencySecondsPerDoubling = 5e-6, .share = 0.5},
                                    {.latencySeconds = 14e-6, .latencySecondsPerDoubling = 8.5e-6, .share = 0.92},
                                    {.latencySeconds = 14e-6, .latencySecondsPerDoubling = 14e-6}}}};
  if (server->inNetworkReduction)
    cluster.levels[0].algorithms.push_back({.latencySeconds = 25e-6, .inNetworkReduction = true});
  return cluster;
}

} // namespace froe

#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace froe {

/// Compute rate of a matrix product by shape class: the class is the smallest of m, n and k. Between two points the
/// rate is interpolated over the logarithm of the size; outside it is the nearest point's. Rates are what the
/// arithmetic alone allows, operands in cache: reading them is a term of its own (see matmulSeconds).
struct MatmulRates {
  struct Point {
    int64_t smallestDim = 1;
    double flopsPerSecond = 0;
    bool operator==(const Point &) const = default;
  };
  std::vector<Point> points; ///< ascending, at least one

  bool operator==(const MatmulRates &) const = default;
  double flopsPerSecond(int64_t smallestDim) const;
};

/// One device: what one rank runs on. All rates are those of a rank with `threadsPerRank` threads.
struct Device {
  int64_t memoryBytes = 0; ///< 0: only the host's memory limits it
  int threadsPerRank = 1;
  double memoryBytesPerSecond = 0; ///< streaming, when the other devices are idle
  double cacheBytesPerSecond = 0;  ///< streaming what the last kernels left in cache
  int64_t cacheBytes = 0;
  double kernelOverheadSeconds = 0;          ///< from one kernel's end to the next one's start
  std::map<std::string, MatmulRates> matmul; ///< by element type as MLIR writes it: f32, bf16, ...; has f32

  bool operator==(const Device &) const = default;
};

/// Time of one kind of collective in a group of n devices of which each sends b bytes:
///   latencySeconds + (n - 2) latencySecondsPerRank + b / rate,
/// the rate being cacheBytesPerSecond for the first `cacheBytes` bytes and bytesPerSecond for the rest.
struct CollectiveRates {
  double latencySeconds = 0;        ///< of a group of two
  double latencySecondsPerRank = 0; ///< for each further device
  double bytesPerSecond = 0;
  double cacheBytesPerSecond = 0;
  int64_t cacheBytes = 0;

  bool operator==(const CollectiveRates &) const = default;
};

/// The machines a plan is made for. The JSON form (sizes in bytes, rates per second, times in seconds):
///
///   {"name": "cpu", "devices": 2,
///    "host": {"memory_bytes": 34359738368, "memory_bytes_per_second": 3.0e10},
///    "device": {"memory_bytes": 0, "threads_per_rank": 1, "memory_bytes_per_second": 2.0e10, "cache_bytes": 4194304,
///               "cache_bytes_per_second": 6.0e10, "kernel_overhead_seconds": 2e-6,
///               "matmul": {"f32": [{"smallest_dim": 1, "flops_per_second": 2.5e10}, {"smallest_dim": 64,
///               "flops_per_second": 1.1e11}]}},
///    "links": {"shared": true,
///              "all_reduce": {"latency_seconds": 9e-6, "latency_seconds_per_rank": 1e-5, "bytes_per_second": 3e9,
///                             "cache_bytes_per_second": 1e10, "cache_bytes": 4194304},
///              "all_gather": {...}, "reduce_scatter": {...}, "all_to_all": {...}, "send_recv": {...}}}
///
/// "host" is left out where devices share nothing; other unknown or missing keys are errors.
struct Cluster {
  std::string name;
  int64_t devices = 0;           ///< 0: as many as the plan asks for
  int64_t hostMemoryBytes = 0;   ///< shared by all devices; 0: none is shared
  double hostBytesPerSecond = 0; ///< memory bandwidth of all devices together; 0: not shared
  Device device;
  bool linksShared =
      false; ///< links have one bandwidth for all devices together: its rates hold for two devices at work
  CollectiveRates allReduce, allGather, reduceScatter, allToAll, sendRecv;

  bool operator==(const Cluster &) const = default;

  /// The same machines, `count` devices of them in use. Shared memory and bandwidths are divided by the number in use.
  Cluster withDevices(int64_t count) const;
  /// Memory that one device may use: its own, or its part of the host's. INT64_MAX where neither is stated.
  int64_t memoryLimitBytes() const;
  /// Streaming rate of one device while all of them stream.
  double memoryBytesPerSecond() const;
  /// Rates for an element type; those of f32 where the type has none.
  const MatmulRates &matmulRates(std::string_view elementType) const;

  /// A preset (`cpu`, or `cpu:4` for 4 devices), else a file. Errors name the file and the key at fault.
  static std::expected<Cluster, std::string> load(const std::string &fileOrPreset);
  static std::expected<Cluster, std::string> parse(std::string_view json);
  std::string toJson() const;
  static std::vector<std::string_view> presets();
};

} // namespace froe

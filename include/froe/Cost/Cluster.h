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

/// Compute rate of a matrix product; what the arithmetic alone allows, operands in cache: reading them is a term of its
/// own (see matmulSeconds). Either measured, by shape class: the class is the smallest of m, n and k; between two
/// points the rate is interpolated over the logarithm of the size, outside it is the nearest point's. Or a curve
///   peak * efficiency * m / (m + halfDim) * n / (n + halfDim) * k / (k + halfDim),
/// which says that tiles are filled badly at the edges and pipelines at the ends.
struct MatmulRates {
  struct Point {
    int64_t smallestDim = 1;
    double flopsPerSecond = 0;
    double overlap = 0.5; ///< the part of arithmetic or traffic, whichever is less, that hides behind the other
    bool operator==(const Point &) const = default;
  };
  std::vector<Point> points;     ///< ascending; none where the rate is a curve
  double peakFlopsPerSecond = 0; ///< of the curve, as a data sheet has it
  double efficiency = 1;         ///< what the largest products reach
  int64_t halfDim = 0;           ///< the size at which a dim alone halves the rate
  double overlap = 0.5;          ///< as a point's, for the curve

  bool operator==(const MatmulRates &) const = default;
  double flopsPerSecond(int64_t smallestDim) const { return flopsPerSecond(smallestDim, smallestDim, smallestDim); }
  double flopsPerSecond(int64_t m, int64_t n, int64_t k) const { return at(m, n, k).flopsPerSecond; }
  /// Rate and overlap for a shape.
  Point at(int64_t m, int64_t n, int64_t k) const;
  /// What no product exceeds.
  double bestFlopsPerSecond() const;
};

/// One device: what one rank runs on. All rates are those of a rank with `threadsPerRank` threads.
struct Device {
  int64_t memoryBytes = 0; ///< 0: only the host's memory limits it
  int threadsPerRank = 1;
  double memoryBytesPerSecond = 0; ///< streaming, when the other devices are idle
  double cacheBytesPerSecond = 0;  ///< streaming what the last kernels left in cache
  int64_t cacheBytes = 0;
  double kernelOverheadSeconds = 0; ///< from one kernel's end to the next one's start
  double vectorFlopsPerSecond = 0;  ///< outside matrix products; 0: that of the smallest products in f32
  bool fusesAttention = false;      ///< two products with a softmax between become one kernel where they can
  std::map<std::string, MatmulRates>
      matmul; ///< by element type as MLIR writes it: f32, bf16, ...; has f32; "tf32": f32 with rounded factors

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

enum class LinkKind { NVLink, PCIe, InfiniBand, Ethernet, SharedMemory };
std::string_view name(LinkKind kind);

/// A way to carry out a collective of n devices:
///   latencySeconds + rounds ((n - 1) latencySecondsPerHop + log2(n) latencySecondsPerDoubling) + bytes / (share rate),
/// rounds being 2 for an all-reduce, which goes there and back, else 1. Libraries have several, such as NCCL's
/// protocols: some answer quickly and waste bandwidth.
struct LinkAlgorithm {
  double latencySeconds = 0;
  double latencySecondsPerHop = 0;      ///< of a ring
  double latencySecondsPerDoubling = 0; ///< of a tree
  double share = 1;                     ///< of the level's rate
  bool inNetworkReduction = false;      ///< switches add up: an all-reduce sends each byte once, not twice

  bool operator==(const LinkAlgorithm &) const = default;
  /// Until the first byte of a collective of `devices` has arrived, all of them `rounds` times.
  double latency(double devices, double rounds) const;
};

/// One level of the hierarchy of links: what joins the groups of the level below into groups of `devices`.
struct LinkLevel {
  LinkKind kind = LinkKind::NVLink;
  int64_t devices = 0;                   ///< in one group, consecutive ones; 0 (last level only): all there are
  double bytesPerSecond = 0;             ///< that each device sends while all do, and receives as well
  std::vector<LinkAlgorithm> algorithms; ///< at least one; the quickest counts

  bool operator==(const LinkLevel &) const = default;
};

/// The machines a plan is made for; docs/costs.md describes the JSON form (sizes in bytes, rates per second, times in
/// seconds). Devices are numbered so that those of one host, and of each level's group, are consecutive.
struct Cluster {
  std::string name;
  int64_t devices = 0;           ///< 0: as many as the plan asks for
  int64_t hostDevices = 0;       ///< devices of one host; 0: all
  int64_t hostMemoryBytes = 0;   ///< shared by the devices of a host; 0: none is shared
  double hostBytesPerSecond = 0; ///< memory bandwidth of the devices of a host together; 0: not shared
  Device device;

  /// Links inside a host as measured, where they are; `levels` then are those between hosts.
  bool linksShared =
      false; ///< links have one bandwidth for all devices together: its rates hold for two devices at work
  CollectiveRates allReduce, allGather, reduceScatter, allToAll, sendRecv;
  bool hasMeasuredLinks() const { return allReduce.bytesPerSecond > 0; }

  std::vector<LinkLevel> levels; ///< innermost first; may be none where links are measured

  bool operator==(const Cluster &) const = default;

  /// The same machines, `count` devices of them in use. Shared memory and bandwidths are divided by the number in use.
  Cluster withDevices(int64_t count) const;
  /// Devices in use that share a host; at least 1.
  int64_t devicesPerHost() const;
  /// Memory that one device may use: its own, or its part of the host's. INT64_MAX where neither is stated.
  int64_t memoryLimitBytes() const;
  /// Streaming rate of one device while all of them stream.
  double memoryBytesPerSecond() const;
  /// Rates for an element type; those of f32 where the type has none.
  const MatmulRates &matmulRates(std::string_view elementType) const;
  /// Operations a second outside matrix products.
  double vectorFlopsPerSecond() const;

  /// A preset, else a file. `NAME`: as many devices as asked for, in nodes as usual; `NAME:8`: one node of 8;
  /// `NAME:8x128`: 128 nodes of 8. Errors name the file and the key at fault.
  static std::expected<Cluster, std::string> load(const std::string &fileOrPreset);
  static std::expected<Cluster, std::string> parse(std::string_view json);
  std::string toJson() const;
  static std::vector<std::string_view> presets();
};

} // namespace froe

#include "froe/Cost/Cluster.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace froe {

namespace {
using Json = nlohmann::ordered_json;

/// Reads one JSON object; notes the first error, and which keys nobody asked for.
class Object {
public:
  Object(const Json &json, std::string path, std::string &error) : json(json), path(std::move(path)), error(error) {
    if (!json.is_object())
      fail("", "an object");
  }
  ~Object() {
    for (const auto &item : json.items())
      if (json.is_object() && !asked.contains(item.key()))
        fail(item.key(), "no such key");
  }

  void read(const char *key, std::string &value) {
    if (const Json *item = find(key)) {
      if (!item->is_string())
        return fail(key, "a string");
      value = item->get<std::string>();
    }
  }
  void read(const char *key, bool &value) {
    if (const Json *item = find(key)) {
      if (!item->is_boolean())
        return fail(key, "true or false");
      value = item->get<bool>();
    }
  }
  void read(const char *key, int64_t &value, int64_t least = 0) {
    const Json *item = find(key);
    if (!item)
      return;
    if (!item->is_number() || item->get<double>() < double(least) || item->get<double>() > 9e18 ||
        item->get<double>() != double(int64_t(item->get<double>())))
      return fail(key, fmt::format("a whole number of at least {}", least));
    value = item->is_number_float() ? int64_t(item->get<double>()) : item->get<int64_t>();
  }
  /// Times may be zero, rates may not.
  void readSeconds(const char *key, double &value) { readDouble(key, value, true); }
  void readRate(const char *key, double &value) { readDouble(key, value, false); }
  /// Between 0 and 1; may be missing.
  void readPart(const char *key, double &value) {
    if (!has(key))
      return;
    readSeconds(key, value);
    if (value > 1)
      fail(key, "a number from 0 to 1");
  }

  /// The value at `key`, null (with an error) where it is missing.
  const Json *find(const char *key) {
    asked.insert(key);
    if (!json.is_object())
      return nullptr;
    auto it = json.find(key);
    if (it != json.end())
      return &*it;
    fail(key, "a value, found none");
    return nullptr;
  }
  bool has(const char *key) {
    asked.insert(key);
    return json.is_object() && json.contains(key);
  }
  std::string pathOf(std::string_view key) const {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }
  void fail(std::string_view key, std::string_view expected) {
    if (error.empty())
      error = expected == "no such key" ? fmt::format("'{}' is no key of a cluster description", pathOf(key))
                                        : fmt::format("'{}': expected {}", key.empty() ? path : pathOf(key), expected);
  }

private:
  void readDouble(const char *key, double &value, bool zeroAllowed) {
    if (const Json *item = find(key)) {
      double number = item->is_number() ? item->get<double>() : -1;
      if (!(number > 0 || (zeroAllowed && number == 0)))
        return fail(key, zeroAllowed ? "a number of at least 0" : "a number above 0");
      value = number;
    }
  }

  const Json &json;
  std::string path;
  std::string &error;
  std::set<std::string, std::less<>> asked;
};

/// A list of points, or a curve.
void readRates(const Json &json, const std::string &path, MatmulRates &rates, std::string &error) {
  auto fail = [&](std::string_view expected) {
    if (error.empty())
      error = fmt::format("'{}': expected {}", path, expected);
  };
  if (json.is_object()) {
    Object object(json, path, error);
    object.readRate("flops_per_second", rates.peakFlopsPerSecond);
    object.readRate("efficiency", rates.efficiency);
    object.read("half_dim", rates.halfDim);
    object.readPart("overlap", rates.overlap);
    if (rates.efficiency > 1)
      object.fail("efficiency", "a number of at most 1");
    return;
  }
  if (!json.is_array() || json.empty())
    return fail("a list of points or a curve");
  for (const Json &point : json) {
    MatmulRates::Point &read = rates.points.emplace_back();
    Object object(point, path, error);
    object.read("smallest_dim", read.smallestDim, 1);
    object.readRate("flops_per_second", read.flopsPerSecond);
    object.readPart("overlap", read.overlap);
  }
  if (std::ranges::adjacent_find(rates.points, std::greater_equal<>(), &MatmulRates::Point::smallestDim) !=
      rates.points.end())
    fail("points with ascending 'smallest_dim'");
}

void readMatmul(Object &device, std::map<std::string, MatmulRates> &matmul, std::string &error) {
  const Json *types = device.find("matmul");
  if (!types)
    return;
  if (!types->is_object() || !types->contains("f32"))
    return device.fail("matmul", "an object with a key 'f32'");
  for (const auto &item : types->items()) {
    std::string path = "matmul." + item.key();
    readRates(item.value(), device.pathOf(path), matmul[item.key()], error);
  }
}

void readDevice(const Json &json, Device &device, std::string &error) {
  Object object(json, "device", error);
  int64_t threads = 1;
  object.read("memory_bytes", device.memoryBytes);
  object.read("threads_per_rank", threads, 1);
  device.threadsPerRank = static_cast<int>(threads);
  object.readRate("memory_bytes_per_second", device.memoryBytesPerSecond);
  object.read("cache_bytes", device.cacheBytes);
  object.readRate("cache_bytes_per_second", device.cacheBytesPerSecond);
  object.readSeconds("kernel_overhead_seconds", device.kernelOverheadSeconds);
  if (object.has("vector_flops_per_second"))
    object.readRate("vector_flops_per_second", device.vectorFlopsPerSecond);
  if (object.has("fuses_attention"))
    object.read("fuses_attention", device.fusesAttention);
  readMatmul(object, device.matmul, error);
}

using NamedRates = std::pair<const char *, CollectiveRates Cluster::*>;
constexpr NamedRates kCollectives[] = {{"all_reduce", &Cluster::allReduce},
                                       {"all_gather", &Cluster::allGather},
                                       {"reduce_scatter", &Cluster::reduceScatter},
                                       {"all_to_all", &Cluster::allToAll},
                                       {"send_recv", &Cluster::sendRecv}};

void readLinks(const Json &json, Cluster &cluster, std::string &error) {
  Object object(json, "links", error);
  object.read("shared", cluster.linksShared);
  for (const auto &[key, member] : kCollectives)
    if (const Json *item = object.find(key)) {
      Object rates(*item, object.pathOf(key), error);
      rates.readSeconds("latency_seconds", (cluster.*member).latencySeconds);
      rates.readSeconds("latency_seconds_per_rank", (cluster.*member).latencySecondsPerRank);
      rates.readRate("bytes_per_second", (cluster.*member).bytesPerSecond);
      rates.readRate("cache_bytes_per_second", (cluster.*member).cacheBytesPerSecond);
      rates.read("cache_bytes", (cluster.*member).cacheBytes);
    }
}

constexpr LinkKind kLinkKinds[] = {LinkKind::NVLink, LinkKind::PCIe, LinkKind::InfiniBand, LinkKind::Ethernet,
                                   LinkKind::SharedMemory};

void readAlgorithm(Object &object, LinkAlgorithm &algorithm) {
  object.readSeconds("latency_seconds", algorithm.latencySeconds);
  if (object.has("latency_seconds_per_hop"))
    object.readSeconds("latency_seconds_per_hop", algorithm.latencySecondsPerHop);
  if (object.has("latency_seconds_per_doubling"))
    object.readSeconds("latency_seconds_per_doubling", algorithm.latencySecondsPerDoubling);
  if (object.has("share"))
    object.readRate("share", algorithm.share);
  if (algorithm.share > 1)
    object.fail("share", "a number of at most 1");
  if (object.has("in_network_reduction"))
    object.read("in_network_reduction", algorithm.inNetworkReduction);
}

void readLevel(const Json &json, const std::string &path, LinkLevel &level, std::string &error) {
  Object object(json, path, error);
  std::string kind;
  object.read("kind", kind);
  auto known = std::ranges::find(kLinkKinds, kind, [](LinkKind known) { return name(known); });
  if (known == std::end(kLinkKinds))
    object.fail("kind", "nvlink, pcie, infiniband, ethernet or shared_memory");
  else
    level.kind = *known;
  if (object.has("devices"))
    object.read("devices", level.devices, 1);
  object.readRate("bytes_per_second", level.bytesPerSecond);
  if (!object.has("algorithms"))
    return readAlgorithm(object, level.algorithms.emplace_back());
  const Json &algorithms = *object.find("algorithms");
  if (!algorithms.is_array() || algorithms.empty())
    return object.fail("algorithms", "a list of algorithms");
  for (const Json &item : algorithms) {
    Object algorithm(item, fmt::format("{}.algorithms.{}", path, level.algorithms.size()), error);
    readAlgorithm(algorithm, level.algorithms.emplace_back());
  }
}

/// Each group consists of whole groups of the level below.
void readLevels(Object &cluster, const Json &json, std::vector<LinkLevel> &levels, int64_t hostDevices,
                std::string &error) {
  if (!json.is_array() || json.empty())
    return cluster.fail("levels", "a list of levels");
  int64_t below = std::max<int64_t>(hostDevices, 1);
  for (const Json &item : json) {
    std::string path = fmt::format("levels.{}", levels.size());
    readLevel(item, path, levels.emplace_back(), error);
    int64_t size = levels.back().devices;
    if (size == 0 && levels.size() < json.size())
      cluster.fail(path + ".devices", "a number: only the last level may do without");
    if (size > 0 && (size % below != 0 || size < 2))
      cluster.fail(path + ".devices", fmt::format("whole groups of {}, and 2 devices at least", below));
    below = std::max<int64_t>(size, 1);
  }
}

void readCluster(const Json &json, Cluster &cluster, std::string &error) {
  Object object(json, "", error);
  object.read("name", cluster.name);
  object.read("devices", cluster.devices);
  if (object.has("host"))
    if (const Json *host = object.find("host")) {
      Object shared(*host, "host", error);
      if (shared.has("devices"))
        shared.read("devices", cluster.hostDevices, 1);
      shared.read("memory_bytes", cluster.hostMemoryBytes);
      shared.readSeconds("memory_bytes_per_second", cluster.hostBytesPerSecond);
    }
  if (const Json *device = object.find("device"))
    readDevice(*device, cluster.device, error);
  bool hasLevels = object.has("levels");
  if (!hasLevels || object.has("links"))
    if (const Json *links = object.find("links"))
      readLinks(*links, cluster, error);
  if (hasLevels)
    readLevels(object, *object.find("levels"), cluster.levels, cluster.hasMeasuredLinks() ? cluster.hostDevices : 1,
               error);
  if (hasLevels && cluster.hasMeasuredLinks() && cluster.hostDevices == 0)
    object.fail("host.devices", "a number: where 'links' end and 'levels' begin");
}

Json ratesToJson(const MatmulRates &rates) {
  if (rates.points.empty())
    return {{"flops_per_second", rates.peakFlopsPerSecond},
            {"efficiency", rates.efficiency},
            {"half_dim", rates.halfDim},
            {"overlap", rates.overlap}};
  Json points = Json::array();
  for (const MatmulRates::Point &point : rates.points)
    points.push_back(
        {{"smallest_dim", point.smallestDim}, {"flops_per_second", point.flopsPerSecond}, {"overlap", point.overlap}});
  return points;
}

Json linksToJson(const Cluster &cluster) {
  Json links = {{"shared", cluster.linksShared}};
  for (const auto &[key, member] : kCollectives)
    links[key] = {{"latency_seconds", (cluster.*member).latencySeconds},
                  {"latency_seconds_per_rank", (cluster.*member).latencySecondsPerRank},
                  {"bytes_per_second", (cluster.*member).bytesPerSecond},
                  {"cache_bytes_per_second", (cluster.*member).cacheBytesPerSecond},
                  {"cache_bytes", (cluster.*member).cacheBytes}};
  return links;
}

Json levelToJson(const LinkLevel &level) {
  Json json = {{"kind", name(level.kind)}, {"bytes_per_second", level.bytesPerSecond}};
  if (level.devices > 0)
    json["devices"] = level.devices;
  for (const LinkAlgorithm &algorithm : level.algorithms)
    json["algorithms"].push_back({{"latency_seconds", algorithm.latencySeconds},
                                  {"latency_seconds_per_hop", algorithm.latencySecondsPerHop},
                                  {"latency_seconds_per_doubling", algorithm.latencySecondsPerDoubling},
                                  {"share", algorithm.share},
                                  {"in_network_reduction", algorithm.inNetworkReduction}});
  return json;
}
} // namespace

std::expected<Cluster, std::string> Cluster::parse(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error &failure) {
    return std::unexpected(fmt::format("no valid JSON at byte {}", failure.byte));
  }
  if (!json.is_object())
    return std::unexpected("expected a JSON object");
  Cluster cluster;
  std::string error;
  readCluster(json, cluster, error);
  if (!error.empty())
    return std::unexpected(error);
  return cluster;
}

std::string Cluster::toJson() const {
  Json json = {{"name", name}, {"devices", devices}};
  if (hostMemoryBytes > 0 || hostBytesPerSecond > 0 || hostDevices > 0)
    json["host"] = {{"memory_bytes", hostMemoryBytes}, {"memory_bytes_per_second", hostBytesPerSecond}};
  if (hostDevices > 0)
    json["host"]["devices"] = hostDevices;
  json["device"] = {{"memory_bytes", device.memoryBytes},
                    {"threads_per_rank", device.threadsPerRank},
                    {"memory_bytes_per_second", device.memoryBytesPerSecond},
                    {"cache_bytes", device.cacheBytes},
                    {"cache_bytes_per_second", device.cacheBytesPerSecond},
                    {"kernel_overhead_seconds", device.kernelOverheadSeconds},
                    {"matmul", Json::object()}};
  if (device.vectorFlopsPerSecond > 0)
    json["device"]["vector_flops_per_second"] = device.vectorFlopsPerSecond;
  if (device.fusesAttention)
    json["device"]["fuses_attention"] = true;
  for (const auto &[type, rates] : device.matmul)
    json["device"]["matmul"][type] = ratesToJson(rates);
  if (hasMeasuredLinks())
    json["links"] = linksToJson(*this);
  for (const LinkLevel &level : levels)
    json["levels"].push_back(levelToJson(level));
  return json.dump(2) + "\n";
}

} // namespace froe

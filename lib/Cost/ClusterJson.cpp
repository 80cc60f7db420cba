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

void readMatmul(Object &device, std::map<std::string, MatmulRates> &matmul, std::string &error) {
  const Json *types = device.find("matmul");
  if (!types)
    return;
  if (!types->is_object() || !types->contains("f32"))
    return device.fail("matmul", "an object with a key 'f32'");
  for (const auto &item : types->items()) {
    std::string path = "matmul." + item.key();
    if (!item.value().is_array() || item.value().empty())
      return device.fail(path, "a list of points");
    for (const Json &point : item.value()) {
      MatmulRates::Point &read = matmul[item.key()].points.emplace_back();
      Object object(point, device.pathOf(path), error);
      object.read("smallest_dim", read.smallestDim, 1);
      object.readRate("flops_per_second", read.flopsPerSecond);
    }
    if (std::ranges::adjacent_find(matmul[item.key()].points, std::greater_equal<>(),
                                   &MatmulRates::Point::smallestDim) != matmul[item.key()].points.end())
      return device.fail(path, "points with ascending 'smallest_dim'");
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

void readCluster(const Json &json, Cluster &cluster, std::string &error) {
  Object object(json, "", error);
  object.read("name", cluster.name);
  object.read("devices", cluster.devices);
  if (object.has("host"))
    if (const Json *host = object.find("host")) {
      Object shared(*host, "host", error);
      shared.read("memory_bytes", cluster.hostMemoryBytes);
      shared.readSeconds("memory_bytes_per_second", cluster.hostBytesPerSecond);
    }
  if (const Json *device = object.find("device"))
    readDevice(*device, cluster.device, error);
  if (const Json *links = object.find("links"))
    readLinks(*links, cluster, error);
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
  if (hostMemoryBytes > 0 || hostBytesPerSecond > 0)
    json["host"] = {{"memory_bytes", hostMemoryBytes}, {"memory_bytes_per_second", hostBytesPerSecond}};
  json["device"] = {{"memory_bytes", device.memoryBytes},
                    {"threads_per_rank", device.threadsPerRank},
                    {"memory_bytes_per_second", device.memoryBytesPerSecond},
                    {"cache_bytes", device.cacheBytes},
                    {"cache_bytes_per_second", device.cacheBytesPerSecond},
                    {"kernel_overhead_seconds", device.kernelOverheadSeconds},
                    {"matmul", Json::object()}};
  for (const auto &[type, rates] : device.matmul)
    for (const MatmulRates::Point &point : rates.points)
      json["device"]["matmul"][type].push_back(
          {{"smallest_dim", point.smallestDim}, {"flops_per_second", point.flopsPerSecond}});
  json["links"] = {{"shared", linksShared}};
  for (const auto &[key, member] : kCollectives)
    json["links"][key] = {{"latency_seconds", (this->*member).latencySeconds},
                          {"latency_seconds_per_rank", (this->*member).latencySecondsPerRank},
                          {"bytes_per_second", (this->*member).bytesPerSecond},
                          {"cache_bytes_per_second", (this->*member).cacheBytesPerSecond},
                          {"cache_bytes", (this->*member).cacheBytes}};
  return json.dump(2) + "\n";
}

} // namespace froe

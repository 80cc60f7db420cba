#include "froe/Cost/Cluster.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

namespace froe {
namespace {

Cluster preset(const char *name) { return Cluster::load(name).value(); }

/// The error after replacing `old` by `replacement` in the JSON of a cluster.
std::string errorAfter(std::string_view old, std::string_view replacement, const Cluster &original = preset("cpu")) {
  std::string json = original.toJson();
  size_t at = json.find(old);
  if (at == std::string::npos)
    return "not found: " + std::string(old);
  json.replace(at, old.size(), replacement);
  auto cluster = Cluster::parse(json);
  return cluster ? "" : cluster.error();
}

TEST(Cluster, JsonRoundTrip) {
  Cluster cluster = preset("cpu:4");
  EXPECT_EQ(Cluster::parse(cluster.toJson()), cluster);
  cluster.hostMemoryBytes = 0;
  cluster.hostBytesPerSecond = 0;
  cluster.device.memoryBytes = 1234567890123;
  cluster.device.fusesAttention = true;
  EXPECT_EQ(cluster.toJson().find("\"host\""), std::string::npos);
  EXPECT_EQ(Cluster::parse(cluster.toJson()), cluster);
}

TEST(Cluster, LoadsPresetsAndFiles) {
  EXPECT_EQ(preset("cpu").devices, 0);
  EXPECT_EQ(preset("cpu:4").devices, 4);
  std::string path = testing::TempDir() + "froe-cluster.json";
  std::ofstream(path) << preset("cpu:2").toJson();
  EXPECT_EQ(Cluster::load(path), preset("cpu:2"));
  std::ofstream(path) << "{";
  EXPECT_EQ(Cluster::load(path).error(), path + ": no valid JSON at byte 2");
  std::remove(path.c_str());
  EXPECT_EQ(Cluster::load("cpux").error(),
            "cluster 'cpux': no such preset (there is: cpu, v100, a100-40g, a100-80g, h100, h200, b200) and no file "
            "that can be read");
  for (std::string counts : {"0", "2x", "x2", "2x0", "8x8x8", "-1", "1048576x2", "99999999999999999999", "4 "})
    EXPECT_EQ(Cluster::load("h100:" + counts).error(),
              "cluster 'h100:" + counts +
                  "': expected devices, or DEVICESxNODES, behind the colon, at most 2^20 in all, found '" + counts +
                  "'");
}

TEST(Cluster, PresetsComeInNodes) {
  Cluster many = preset("h100:8x128");
  EXPECT_EQ(many.devices, 1024);
  ASSERT_EQ(many.levels.size(), 2u);
  EXPECT_EQ(many.levels[0].kind, LinkKind::NVLink);
  EXPECT_EQ(many.levels[0].devices, 8);
  EXPECT_EQ(many.levels[1].kind, LinkKind::InfiniBand);
  EXPECT_EQ(many.levels[1].devices, 0);
  EXPECT_EQ(preset("h100").devices, 0);
  EXPECT_EQ(preset("a100-80g:4").devices, 4);
  EXPECT_EQ(preset("a100-80g:4").levels.size(), 1u);
  // Hosts without accelerators are joined by Ethernet, and share memory with nobody else.
  Cluster hosts = preset("cpu:4x2");
  EXPECT_EQ(hosts.devices, 8);
  EXPECT_EQ(hosts.hostDevices, 4);
  EXPECT_EQ(hosts.levels.at(0).kind, LinkKind::Ethernet);
  EXPECT_EQ(hosts.memoryBytesPerSecond(), preset("cpu:4").memoryBytesPerSecond());
}

TEST(Cluster, EveryPresetIsComplete) {
  for (std::string_view name : Cluster::presets()) {
    Cluster cluster = preset(std::string(name).c_str());
    EXPECT_EQ(Cluster::parse(cluster.toJson()), cluster) << name;
    EXPECT_GT(cluster.vectorFlopsPerSecond(), 0) << name;
    EXPECT_GT(cluster.memoryLimitBytes(), 1e9) << name;
  }
  // Peaks by type, as the data sheets have them; float32 graphs do not run on rounded factors unless asked.
  const Device h100 = preset("h100").device, v100 = preset("v100").device;
  EXPECT_EQ(h100.matmul.at("f32").peakFlopsPerSecond, 67e12);
  EXPECT_EQ(h100.matmul.at("bf16").peakFlopsPerSecond, 989e12);
  EXPECT_FALSE(v100.matmul.contains("bf16"));
}

TEST(Cluster, ErrorsNameTheKey) {
  EXPECT_EQ(errorAfter("\"cache_bytes\"", "\"cash_bytes\""), "'device.cache_bytes': expected a value, found none");
  EXPECT_EQ(errorAfter("\"devices\": 0", "\"devices\": 0, \"color\": 3"), "'color' is no key of a cluster description");
  EXPECT_EQ(errorAfter("\"devices\": 0", "\"devices\": -1"), "'devices': expected a whole number of at least 0");
  EXPECT_EQ(errorAfter("\"devices\": 0", "\"devices\": 1.5"), "'devices': expected a whole number of at least 0");
  EXPECT_EQ(errorAfter("\"shared\": true", "\"shared\": 1"), "'links.shared': expected true or false");
  EXPECT_EQ(errorAfter("\"name\": \"cpu\"", "\"name\": null"), "'name': expected a string");
  EXPECT_EQ(errorAfter("\"bytes_per_second\": 3000000000.0", "\"bytes_per_second\": 0"),
            "'links.all_reduce.bytes_per_second': expected a number above 0");
  EXPECT_EQ(errorAfter("\"smallest_dim\": 4,", "\"smallest_dim\": 1,"),
            "'device.matmul.bf16': expected points with ascending 'smallest_dim'");
  EXPECT_EQ(errorAfter("\"f32\"", "\"f23\""), "'device.matmul': expected an object with a key 'f32'");
  EXPECT_EQ(Cluster::parse("[]").error(), "expected a JSON object");
}

TEST(Cluster, ErrorsOfLevelsNameTheKey) {
  auto h100 = [](std::string_view old, std::string_view replacement) {
    return errorAfter(old, replacement, preset("h100:8x4"));
  };
  EXPECT_EQ(h100("\"nvlink\"", "\"token ring\""),
            "'levels.0.kind': expected nvlink, pcie, infiniband, ethernet or shared_memory");
  EXPECT_EQ(h100("\"devices\": 8", "\"devices\": 0"), "'levels.0.devices': expected a whole number of at least 1");
  EXPECT_EQ(h100(",\n      \"devices\": 8", ""),
            "'levels.0.devices': expected a number: only the last level may do without");
  EXPECT_EQ(h100("\"kind\": \"infiniband\"", "\"kind\": \"infiniband\", \"devices\": 12"),
            "'levels.1.devices': expected whole groups of 8, and 2 devices at least");
  EXPECT_EQ(h100("\"latency_seconds\"", "\"latency\""),
            "'levels.0.algorithms.0.latency_seconds': expected a value, found none");
  EXPECT_EQ(h100("\"share\": 0.25", "\"share\": 2"), "'levels.0.algorithms.0.share': expected a number of at most 1");
  EXPECT_EQ(h100("\"algorithms\": [", "\"latency_seconds\": 1e-6, \"algorithms\": ["),
            "'levels.0.latency_seconds' is no key of a cluster description");
  EXPECT_EQ(h100("\"levels\"", "\"level\""), "'links': expected a value, found none");
  EXPECT_EQ(h100("\"efficiency\": 0.85", "\"efficiency\": 1.5"),
            "'device.matmul.bf16.efficiency': expected a number of at most 1");
  EXPECT_EQ(errorAfter("\"devices\": 4\n", "\"bytes\": 4\n", preset("cpu:4x2")),
            "'host.bytes' is no key of a cluster description");
}

TEST(Cluster, DevicesShareTheHost) {
  Cluster cluster = preset("cpu");
  cluster.hostMemoryBytes = 1000;
  cluster.device.memoryBytes = 400;
  EXPECT_EQ(cluster.withDevices(1).memoryLimitBytes(), 400);
  EXPECT_EQ(cluster.withDevices(4).memoryLimitBytes(), 250);
  EXPECT_EQ(cluster.withDevices(1).memoryBytesPerSecond(), 20e9);
  EXPECT_EQ(cluster.withDevices(2).memoryBytesPerSecond(), 15e9);
  cluster.hostMemoryBytes = cluster.device.memoryBytes = 0;
  EXPECT_EQ(cluster.memoryLimitBytes(), std::numeric_limits<int64_t>::max());
}

TEST(Cluster, RatesAreInterpolated) {
  MatmulRates rates{{{1, 10}, {4, 30}, {16, 50}}};
  EXPECT_EQ(rates.flopsPerSecond(1), 10);
  EXPECT_EQ(rates.flopsPerSecond(2), 20); // half way by logarithm
  EXPECT_EQ(rates.flopsPerSecond(4), 30);
  EXPECT_EQ(rates.flopsPerSecond(8), 40);
  EXPECT_EQ(rates.flopsPerSecond(1000), 50);
  EXPECT_EQ(rates.flopsPerSecond(0), 10);
  EXPECT_EQ(rates.flopsPerSecond(1000, 8, 16), 40); // the smallest dim decides
  EXPECT_EQ(rates.bestFlopsPerSecond(), 50);
}

TEST(Cluster, RatesFollowACurve) {
  MatmulRates rates{.points = {}, .peakFlopsPerSecond = 1000, .efficiency = 0.8, .halfDim = 64};
  EXPECT_DOUBLE_EQ(rates.flopsPerSecond(64, 192, 64), 1000 * 0.8 * 0.5 * 0.75 * 0.5);
  EXPECT_EQ(rates.bestFlopsPerSecond(), 800);
  EXPECT_GT(rates.flopsPerSecond(0, 1, 1), 0);
}

TEST(Cluster, TypesWithoutRatesUseThoseOfFloat) {
  Cluster cluster = preset("cpu");
  EXPECT_EQ(&cluster.matmulRates("i32"), &cluster.device.matmul["f32"]);
  EXPECT_NE(&cluster.matmulRates("bf16"), &cluster.device.matmul["f32"]);
}

} // namespace
} // namespace froe

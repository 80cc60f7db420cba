#include "froe/Cost/Cluster.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

namespace froe {
namespace {

Cluster preset(const char *name) { return Cluster::load(name).value(); }

/// The error after replacing `old` by `replacement` in the JSON of the cpu preset.
std::string errorAfter(std::string_view old, std::string_view replacement) {
  std::string json = preset("cpu").toJson();
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
            "cluster 'cpux': no such preset (there is: cpu) and no file that can be read");
  EXPECT_EQ(Cluster::load("cpu:0").error(),
            "cluster 'cpu:0': expected a number of devices behind the colon, found '0'");
  EXPECT_EQ(Cluster::load("cpu:2x").error(),
            "cluster 'cpu:2x': expected a number of devices behind the colon, found '2x'");
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
}

TEST(Cluster, TypesWithoutRatesUseThoseOfFloat) {
  Cluster cluster = preset("cpu");
  EXPECT_EQ(&cluster.matmulRates("i32"), &cluster.device.matmul["f32"]);
  EXPECT_NE(&cluster.matmulRates("bf16"), &cluster.device.matmul["f32"]);
}

} // namespace
} // namespace froe

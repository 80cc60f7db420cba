#include "runtime/launch/Manifest.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe {
namespace {

using testing::HasSubstr;

class ManifestFile : public testing::Test {
protected:
  ManifestFile() {
    std::filesystem::create_directories(package);
    manifest.froeVersion = "0.1.0";
    manifest.planHash = "abc";
    manifest.mesh = {{"data", 2}, {"model", 3}};
    manifest.ranks = 6;
    manifest.inputs = {{"ids: %=é", FROE_I64, {8, 128}}};
    manifest.outputs = {{"logits", FROE_BF16, {}}};
    manifest.arenaBytes = 1 << 20;
    manifest.cpu = "x86-64";
    manifest.program = {"program", 10, "xxh3:0"};
    manifest.weights.resize(6);
    manifest.predicted = {{"latency_ms", 0.1}};
    manifest.options = {{"dims", {"batch=8"}}};
  }
  ~ManifestFile() override { std::filesystem::remove_all(package); }

  void expectError(const std::string &message) {
    auto read = readManifest(package);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error(), HasSubstr(message));
  }

  std::filesystem::path package =
      std::filesystem::temp_directory_path() / ("froe-manifest-test-" + std::to_string(getpid()));
  Manifest manifest;
};

TEST_F(ManifestFile, RoundTrip) {
  ASSERT_TRUE(writeManifest(package, manifest));
  auto read = readManifest(package);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->mesh[1].name, "model");
  EXPECT_EQ(read->inputs[0].name, manifest.inputs[0].name);
  EXPECT_EQ(read->inputs[0].shape, manifest.inputs[0].shape);
  EXPECT_EQ(read->outputs[0].type, FROE_BF16);
  EXPECT_EQ(read->weights.size(), 6u);
  EXPECT_EQ(read->predicted, manifest.predicted);
  EXPECT_EQ(read->options, manifest.options);
  EXPECT_EQ(read->cpu, manifest.cpu);
  EXPECT_EQ(read->extensions, manifest.extensions);
}

TEST_F(ManifestFile, ExtensionsThatTheProcessorLacks) {
  EXPECT_TRUE(checkProcessor(package, manifest));
  manifest.cpu = "another";
  manifest.extensions = {"no-such-extension"};
  auto checked = checkProcessor(package, manifest);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error(), HasSubstr("was compiled for 'another' and uses no-such-extension"));
}

TEST_F(ManifestFile, RanksThatDoNotFillTheMesh) {
  manifest.ranks = 4;
  ASSERT_TRUE(writeManifest(package, manifest));
  expectError("4 ranks do not fill a mesh of 6");
}

TEST_F(ManifestFile, WeightFilesOfOtherRanks) {
  manifest.weights.resize(2);
  ASSERT_TRUE(writeManifest(package, manifest));
  expectError("2 weight files for 6 ranks");
}

TEST_F(ManifestFile, OtherAbi) {
  manifest.abi = 77;
  ASSERT_TRUE(writeManifest(package, manifest));
  expectError("the package's ABI is 77");
}

TEST_F(ManifestFile, NotAManifest) {
  expectError("is missing: not a package");
  for (const char *text : {"", "[]", "{}", "not json"}) {
    std::ofstream(package / "manifest.json") << text;
    expectError("is not a manifest");
  }
}

} // namespace
} // namespace froe

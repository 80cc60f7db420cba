// Packages, from their manifest to their outputs, with the sample program as their executable.
#include "runtime/launch/Launch.h"
#include "runtime/conformance/TestProgram.h"
#include "runtime/launch/Manifest.h"

#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr float kWeight[] = {1, 10, 100};

void writeWeights(const fs::path &file) {
  std::string header = R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
  header.resize(4096 - 8, ' ');
  uint64_t length = header.size();
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char *>(&length), sizeof length);
  stream << header;
  stream.write(reinterpret_cast<const char *>(kWeight), sizeof kWeight);
}

class Launch : public testing::Test {
protected:
  Launch() {
    directory = fs::temp_directory_path() / ("froe-launch-test-" + std::to_string(getpid()));
    fs::remove_all(directory);
    options.package = directory / "sample.froe";
    fs::create_directories(options.package);
    fs::copy_file(test::onCuda() ? CUDA_SAMPLE_PROGRAM : SAMPLE_PROGRAM, options.package / "program");
    writeWeights(options.package / "rank0.safetensors");
    writeWeights(options.package / "rank1.safetensors");
    manifest.froeVersion = "test";
    manifest.planHash = "sample";
    manifest.mesh = {{"x", 2}};
    manifest.ranks = 2;
    manifest.inputs = {{"x/in", FROE_F32, {5, 3}}};
    manifest.outputs = {{"y", FROE_F32, {5, 3}}, {"half y", FROE_F32, {5, 3}}};
    manifest.arenaBytes = 192;
    manifest.program = *describeFile(options.package, "program");
    manifest.weights = {*describeFile(options.package, "rank0.safetensors"),
                        *describeFile(options.package, "rank1.safetensors")};
    write();
    for (int i = 0; i < 15; ++i)
      x.push_back(float(i));
    auto *bytes = reinterpret_cast<const std::byte *>(x.data());
    options.inputs["x/in"] = Array{FROE_F32, {5, 3}, {bytes, bytes + 60}};
  }
  ~Launch() override { fs::remove_all(directory); }

  void write() { ASSERT_TRUE(writeManifest(options.package, manifest)); }

  void expectFailure(const std::string &message, int exitCode = 1) {
    auto result = launch(options);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(message));
    EXPECT_EQ(result.error().exitCode, exitCode);
  }

  void expectOutput(const Array &array) {
    ASSERT_EQ(array.data.size(), 60u);
    auto *values = reinterpret_cast<const float *>(array.data.data());
    for (size_t i = 0; i < 15; ++i)
      EXPECT_EQ(values[i], x[i] * kWeight[i % 3]) << i;
  }

  fs::path directory;
  RunOptions options;
  Manifest manifest;
  std::vector<float> x;
};

TEST_F(Launch, GathersOutputsAndFigures) {
  options.warmup = 1;
  options.repeat = 3;
  auto result = launch(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->latenciesMs.size(), 3u);
  EXPECT_GT(result->firstOutputMs, 0);
  ASSERT_EQ(result->outputs.size(), 2u);
  for (const OutputResult &output : result->outputs)
    expectOutput(output.array);
  ASSERT_EQ(result->ranks.size(), 2u);
  EXPECT_EQ(result->ranks[0].bytesSent, 36u); // 3 rows of 3 f32 to the other rank
  EXPECT_EQ(result->ranks[1].bytesSent, 24u);
  EXPECT_EQ(result->ranks[1].arenaBytes, 192u);
  EXPECT_GT(result->ranks[1].peakBytes, 0u);
  nlohmann::json json = to_json(*result);
  for (const char *key : {"latency_ms", "first_output_ms", "ranks", "outputs"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["outputs"][1]["type"], "float32");
}

TEST_F(Launch, ReadsAndWritesFiles) {
  ASSERT_TRUE(writeNpy(directory / "x.npy", FROE_F32, std::vector<int64_t>{5, 3},
                       std::get<Array>(options.inputs["x/in"]).data));
  options.inputs["x/in"] = directory / "x.npy";
  options.outputDirectory = directory / "out" / "deep";
  auto result = launch(options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->outputs[1].file, "half%20y.npy");
  auto read = readNpy(options.outputDirectory / "half%20y.npy", FROE_F32);
  ASSERT_TRUE(read) << read.error();
  expectOutput(*read);
}

TEST_F(Launch, WritesATrace) {
  options.trace = directory / "trace.json";
  options.repeat = 2;
  auto result = launch(options);
  ASSERT_TRUE(result) << result.error().message;
  std::ifstream stream(options.trace);
  nlohmann::json trace = nlohmann::json::parse(stream);
  int gathers = 0;
  for (const nlohmann::json &event : trace["traceEvents"])
    gathers += event["name"] == "all_gather" && event["args"]["node"] == "gather";
  EXPECT_EQ(gathers, 4); // 2 ranks, 2 executions
}

TEST_F(Launch, RandomInputsDependOnTheSeedAlone) {
  options.inputs.clear();
  options.randomInputs = true;
  auto first = launch(options), again = launch(options);
  options.seed = 1;
  auto other = launch(options);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->outputs[0].array.data, again->outputs[0].array.data);
  EXPECT_NE(first->outputs[0].array.data, other->outputs[0].array.data);
}

TEST_F(Launch, MissingInput) {
  options.inputs.clear();
  expectFailure("input 'x/in', f32[5x3], is not given");
}

TEST_F(Launch, UnknownInput) {
  options.inputs["z"] = Array{};
  expectFailure("the package has no input 'z'; it has 'x/in'");
}

TEST_F(Launch, InputOfAnotherShape) {
  options.inputs["x/in"] = Array{FROE_F32, {3, 5}, std::vector<std::byte>(60)};
  expectFailure("input 'x/in' is f32[3x5], expected f32[5x3]");
}

TEST_F(Launch, OtherNumberOfRanks) {
  options.ranks = 3;
  expectFailure("was compiled for 2 ranks, not for 3");
}

TEST_F(Launch, NoSuchPackage) {
  options.package = directory / "other.froe";
  expectFailure("there is no such package");
}

TEST_F(Launch, ChangedManifest) {
  std::ifstream in(options.package / "manifest.json");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("\"sample\""), 8, "\"simple\"");
  std::ofstream(options.package / "manifest.json") << text;
  expectFailure("was changed after it was written");
}

TEST_F(Launch, ChangedProgram) {
  std::fstream(options.package / "program", std::ios::in | std::ios::out | std::ios::binary).seekp(1000).put('!');
  expectFailure("its contents are not those of the package's manifest");
}

TEST_F(Launch, MissingWeights) {
  fs::remove(options.package / "rank1.safetensors");
  expectFailure("rank1.safetensors");
}

TEST_F(Launch, WeightsOfAnotherSize) {
  fs::resize_file(options.package / "rank1.safetensors", 4100);
  expectFailure("has 4100 bytes, the package's manifest says 4108");
}

TEST_F(Launch, ChangedWeightsAreFoundOnRequest) {
  std::fstream(options.package / "rank1.safetensors", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(4100)
      .put('!');
  EXPECT_TRUE(launch(options));
  options.check = true;
  expectFailure("rank1.safetensors: its contents");
}

TEST_F(Launch, RanksThatDisagreeAreFoundOnRequest) {
  x[9] = -1; // the first element of rank 1
  auto *bytes = reinterpret_cast<const std::byte *>(x.data());
  options.inputs["x/in"] = Array{FROE_F32, {5, 3}, {bytes, bytes + 60}};
  options.check = true;
  expectFailure("collectives do not match: ", 3);
}

TEST_F(Launch, ProgramThatNeverStarts) {
  std::ofstream(options.package / "program") << "#!/bin/sh\nexec sleep 1000\n";
  manifest.program = *describeFile(options.package, "program");
  write();
  options.timeoutSeconds = 0.01;
  expectFailure("was not ready in time", 4);
}

TEST_F(Launch, ProgramOfAnotherPlan) {
  manifest.planHash = "another";
  write();
  expectFailure("the program was built for plan sample, the manifest says another");
}

TEST_F(Launch, ProgramThatIsNotExecutable) {
  fs::permissions(options.package / "program", fs::perms::owner_read);
  expectFailure("cannot be started");
}

TEST_F(Launch, OutputDirectoryThatIsAFile) {
  options.outputDirectory = options.package / "program";
  expectFailure("is not a directory");
}

} // namespace
} // namespace froe

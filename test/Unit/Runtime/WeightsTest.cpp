#include "runtime/core/Weights.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe::rt {
namespace {

using testing::HasSubstr;

constexpr int64_t kShape[] = {2, 2};

class Weights : public testing::Test {
protected:
  ~Weights() override { std::filesystem::remove(file); }

  void write(std::string header, const std::string &data, uint64_t dataOffset = 4096) {
    header.resize(std::max<size_t>(header.size(), dataOffset - 8), ' ');
    uint64_t length = header.size();
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char *>(&length), sizeof length);
    stream << header << data;
  }

  std::expected<WeightFile, std::string> open() {
    froe_program program{};
    program.weight_count = 1;
    program.weights = &weight;
    return WeightFile::open(file.string(), program);
  }

  void expectError(const std::string &message) {
    auto weights = open();
    ASSERT_FALSE(weights);
    EXPECT_THAT(weights.error(), HasSubstr(file.string() + ": "));
    EXPECT_THAT(weights.error(), HasSubstr(message));
  }

  froe_weight weight{"w", FROE_I16, 2, kShape, 8};
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("froe-weights-test-" + std::to_string(getpid()) + ".safetensors");
};

TEST_F(Weights, AreMapped) {
  write(
      R"({"a":{"dtype":"U8","shape":[64],"data_offsets":[0,64]},"w":{"dtype":"I16","shape":[2,2],"data_offsets":[64,72]}})",
      std::string(64, '.') + "abcdefgh");
  auto weights = open();
  ASSERT_TRUE(weights) << weights.error();
  EXPECT_EQ(std::memcmp((*weights)[0].data, "abcdefgh", 8), 0);
  EXPECT_EQ((*weights)[0].bytes, 8u);
  EXPECT_EQ((*weights)[0].packing, "plain");
}

TEST_F(Weights, AreCopiedIfTheFileDoesNotAlignThem) {
  write(
      R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"w":{"dtype":"I16","shape":[2,2],"data_offsets":[3,11]}})",
      "...abcdefgh");
  auto weights = open();
  ASSERT_TRUE(weights) << weights.error();
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*weights)[0].data) % 64, 0u);
  EXPECT_EQ(std::memcmp((*weights)[0].data, "abcdefgh", 8), 0);
}

TEST_F(Weights, PackedOnesNeedOnlyTheSize) {
  write(R"({"__metadata__":{"packing.w":"tiled"},"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", "abcdefgh");
  auto weights = open();
  ASSERT_TRUE(weights) << weights.error();
  EXPECT_EQ((*weights)[0].packing, "tiled");
  write(R"({"__metadata__":{"packing.w":"tiled"},"w":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", "abcdefghi");
  expectError("weight 'w': the program expects 8 bytes, the file has 9");
}

TEST_F(Weights, OfAnotherTypeShapeOrName) {
  write(R"({"w":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}})", "abcdefgh");
  expectError("weight 'w': the program expects I16 [2, 2], the file has F16 [2, 2]");
  write(R"({"w":{"dtype":"I16","shape":[4,1],"data_offsets":[0,8]}})", "abcdefgh");
  expectError("the file has I16 [4, 1]");
  write(R"({"v":{"dtype":"I16","shape":[2,2],"data_offsets":[0,8]}})", "abcdefgh");
  expectError("weight 'w' is missing");
}

TEST_F(Weights, HostileHeaders) {
  struct {
    const char *header, *message;
  } cases[] = {
      {R"({"w":{"dtype":"I16","shape":[2,2],"data_offsets":[0,9]}})", "lie outside"},
      {R"({"w":{"dtype":"I16","shape":[2,2],"data_offsets":[8,0]}})", "lie outside"},
      {R"({"w":{"dtype":"I16","shape":[2,3],"data_offsets":[0,8]}})", "has 12 bytes, but 8 in the file"},
      {R"({"w":{"dtype":"X9","shape":[2,2],"data_offsets":[0,8]}})", "'X9'"},
      {R"({"w":{"dtype":"I16","shape":[-2,-2],"data_offsets":[0,8]}})", "not supported"},
      {R"({"w":{"dtype":"I16","shape":[4294967296,4294967296],"data_offsets":[0,8]}})", "not supported"},
      {R"({"w":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})", "tensors cover 4 of the data's 8 bytes"},
      {R"({"w":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}})", "leave a hole at byte 4"},
      {R"({"v":{"dtype":"I16","shape":[3],"data_offsets":[0,6]},"w":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}})",
       "overlap"},
      {R"({"w":{"dtype":"I16","shape":[2],"data_offsets":[0,4]},"w":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}})",
       "'w' occurs twice"},
      {R"({"w":{"shape":[2,2],"data_offsets":[0,8]}})", "malformed"},
      {R"({"w":{"dtype":"I16","shape":"2","data_offsets":[0,8]}})", "malformed"},
      {R"({"w":[]})", "malformed"},
      {R"([])", "not JSON"},
      {R"({"w")", "not JSON"},
  };
  for (const auto &[header, message] : cases) {
    write(header, "abcdefgh");
    expectError(message);
  }
}

TEST_F(Weights, HeadersLongerThanTheFile) {
  for (uint64_t length : {uint64_t(1), uint64_t(1) << 40, ~uint64_t(0)}) {
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char *>(&length), sizeof length);
    expectError("does not fit a file of 8");
  }
  std::ofstream(file) << "abc";
  expectError("3 bytes are too few");
  std::ofstream(file).flush();
  expectError("0 bytes are too few");
}

TEST_F(Weights, NoSuchFile) { expectError("cannot be opened"); }

} // namespace
} // namespace froe::rt

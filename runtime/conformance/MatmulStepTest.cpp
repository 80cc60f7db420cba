// froe_rt_matmul as programs call it: a packed weight out of the rank's file, threads, more than one execution.
#include "runtime/conformance/TestProgram.h"
#include "runtime/cpu/PackedWeights.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe::test {
namespace {

constexpr int64_t kM = 40, kN = 130, kK = 50;

froe_matmul product() {
  froe_matmul matmul{};
  matmul.type = FROE_F32;
  matmul.m = kM, matmul.n = kN, matmul.k = kK;
  matmul.a_m_stride = kK, matmul.a_k_stride = 1;
  matmul.b_k_stride = kN, matmul.b_n_stride = 1;
  matmul.c_m_stride = kN, matmul.c_n_stride = 1;
  matmul.post_count = 1;
  matmul.posts[0].kind = FROE_POST_ADD;
  matmul.posts[0].buffer = 3;
  matmul.posts[0].n_stride = 1;
  return matmul;
}

float left(int64_t m, int64_t k) { return float((m * 7 + k * 3) % 11) - 5; }
float right(int64_t k, int64_t n) { return float((k * 5 + n * 2) % 13) - 6; }

/// A safetensors file with the weight packed as `tag` says.
class WeightFileOnDisk {
public:
  explicit WeightFileOnDisk(const std::string &tag) {
    froe_matmul matmul = product();
    std::vector<float> plain(kK * kN);
    for (int64_t i = 0; i < kK * kN; ++i)
      plain[size_t(i)] = right(i / kN, i % kN);
    cpu::Packing packing = *cpu::packingFromTag(matmul, tag);
    std::string data(packing.bytes, 0);
    cpu::packWeight(matmul, packing, plain.data(), data.data());
    std::string header = fmt::format(
        R"({{"__metadata__":{{"packing.w":"{}"}},"w":{{"dtype":"U8","shape":[{}],"data_offsets":[0,{}]}}}})", tag,
        packing.bytes, packing.bytes);
    header.resize((8 + header.size() + 63) / 64 * 64 - 8, ' ');
    uint64_t length = header.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(&length), sizeof length);
    file << header << data;
    bytes = packing.bytes;
  }
  ~WeightFileOnDisk() { std::filesystem::remove(path); }

  std::string path = std::filesystem::temp_directory_path() / fmt::format("froe-matmul-{}.safetensors", getpid());
  uint64_t bytes = 0;
};

void computeAndCheck(froe_rt *rt) {
  auto *a = reinterpret_cast<float *>(rt->arena);
  float *c = a + 4096, *bias = c + 8192;
  for (int64_t i = 0; i < kM * kK; ++i)
    a[i] = left(i / kK, i % kK);
  for (int64_t n = 0; n < kN; ++n)
    bias[n] = float(n);
  froe_matmul matmul = product();
  void *buffers[] = {a, const_cast<void *>(froe_rt_weight(rt, 0)), c, bias};
  froe_rt_matmul(rt, 0, &matmul, buffers);
  if (!settled(rt))
    return;
  for (int64_t i = 0; i < kM * kN; ++i) {
    float expected = float(i % kN); // small integers: exact
    for (int64_t k = 0; k < kK; ++k)
      expected += left(i / kN, k) * right(k, i % kN);
    require(rt, c[i] == expected, fmt::format("element {} is {}, not {}", i, c[i], expected));
  }
}

TEST(MatmulStep, ReadsPackedWeights) {
  for (const char *tag : {"plain", "panel64", "panel16"}) {
    if (onCuda() && tag != std::string_view("plain"))
      continue; // packings are for processors
    for (int threads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << tag << ", threads " << threads);
      WeightFileOnDisk file(tag);
      const int64_t shape[] = {int64_t(file.bytes)};
      TestProgram program;
      program.mesh = {2};
      program.weightsFile = file.path;
      program.weights = {{"w", FROE_U8, 1, shape, file.bytes}};
      program.run = computeAndCheck;
      TestRun run;
      run.options.threads = threads;
      run.options.repeat = 3;
      EXPECT_EQ(outcome(runRanks(program, run)), "done");
    }
  }
}

TEST(MatmulStep, AnUnknownPackingNamesIt) {
  WeightFileOnDisk file("plain");
  const int64_t shape[] = {int64_t(file.bytes)};
  std::fstream edit(file.path, std::ios::in | std::ios::out | std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(edit), {});
  edit.seekp(int64_t(text.find("plain")));
  edit << "plane";
  edit.close();
  TestProgram program;
  program.mesh = {1};
  program.weightsFile = file.path;
  program.weights = {{"w", FROE_U8, 1, shape, file.bytes}};
  program.run = computeAndCheck;
  EXPECT_NE(outcome(runRanks(program)).find("'plane'"), std::string::npos);
}

} // namespace
} // namespace froe::test

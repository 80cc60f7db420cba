// Faults that a plug-in could have, one at a time (test/doubles/seeded): the doubles report each of them, or the
// results are wrong; and without a fault there is no alarm, whatever the delays.
#include "runtime/conformance/TestProgram.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBlock = 12, kSide = 4, kShared = 5; // a rank's part; of the product [4][5] x [5][4]
constexpr uint64_t kX = 0, kScaled = 256, kAll = 512, kProduct = 768, kLargest = 1024;
const froe_axes kFirst{1, {1}}, kWhole{0, {}}; // the ranks of a row; nothing is cut
const int64_t kInShape[] = {2 * kBlock}, kProductShape[] = {kSide, kSide}, kLargestShape[] = {kBlock};
const froe_axes kUncut[] = {kWhole, kWhole};
const float kFactor = 2;

/// Every kind of call: y = gather(2 * x), the last 20 elements of y times the first 20, and the largest of 2 * x over
/// the ranks of a row.
void doEverything(froe_rt *rt) {
  auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
  void *buffers[] = {arena + kX, const_cast<void *>(froe_rt_constant(rt, 0)), arena + kScaled};
  froe_rt_launch(rt, 0, 0, 1, buffers);
  froe_rt_all_gather(rt, 1, &kFirst, FROE_F32, 1, 2 * kBlock, 1, arena + kScaled, arena + kAll);
  froe_matmul p{};
  p.m = p.n = kSide, p.k = kShared, p.weight = -1;
  p.a_m_stride = kShared, p.a_k_stride = 1, p.b_k_stride = kSide, p.b_n_stride = 1;
  p.c_m_stride = kSide, p.c_n_stride = 1;
  void *factors[] = {arena + kAll + kSide * sizeof(float), arena + kAll, arena + kProduct};
  froe_rt_matmul(rt, 2, &p, factors);
  froe_rt_all_reduce(rt, 3, &kFirst, FROE_MAX, FROE_F32, kBlock, arena + kScaled, arena + kLargest);
}

struct Fault {
  const char *name;
  const char *report; // a regular expression; "": that results are wrong is enough
  int rank = -1;      // that has it; -1: all

  friend void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.name; }
};

class SeededFaults : public testing::TestWithParam<Fault> {
protected:
  void SetUp() override {
    if (!onCuda())
      GTEST_SKIP() << "FROE_TEST_DEVICE is not 'cuda'";
    program.mesh = {2, 2};
    program.run = doEverything;
    program.recorded = true;
    program.arenaBytes = kLargest + kBlock * sizeof(float);
    program.steps = {{"scale", "scale"}, {"gather", "all_gather"}, {"product", "matmul"}, {"top", "all_reduce"}};
    program.inputs = {{"x", FROE_F32, 1, kInShape, &kFirst, kX}};
    program.outputs = {{"y", FROE_F32, 1, kInShape, &kWhole, kAll},
                       {"product", FROE_F32, 2, kProductShape, kUncut, kProduct},
                       {"largest", FROE_F32, 1, kLargestShape, &kWhole, kLargest}};
    program.images = {{"sm_80", image.data(), image.size()}};
    program.kernels = {{"scale", 32, 0, 3}};
    program.constants = {{&kFactor, sizeof kFactor}};
  }
  void TearDown() override { fs::remove(messages); }

  /// "" if all is right; otherwise what is reported: by the doubles, by the runtime, or that results are wrong.
  std::string run(const char *fault, int only, int seed) {
    program.beforeStart = [=, this](int rank) {
      setenv("FROE_DOUBLE_DELAY", "300", 1);
      setenv("FROE_DOUBLE_SEED", std::to_string(seed).c_str(), 1);
      setenv("FROE_DOUBLE_TIMEOUT", "3000", 1);
      for (const char *variable : {"FROE_LIBCUDA", "FROE_LIBNCCL", "FROE_LIBCUBLASLT"})
        setenv(variable, SEEDED_FAULTS, 1);
      if (only < 0 || rank == only)
        setenv("FROE_SEEDED", fault, 1);
      sendErrorsTo(messages);
    };
    TestRun run;
    run.options.repeat = 1 + (seed + 2) % 3; // as it is, recorded, and played again
    std::vector<float> x(2 * kBlock);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i);
    auto *bytes = reinterpret_cast<const std::byte *>(x.data());
    run.inputs = {{bytes, bytes + x.size() * sizeof(float)}};
    auto result = runRanks(program, run);
    return contentsOf(messages) + (result ? wrongResults(run) : result.error().message);
  }

  static std::string wrongResults(const TestRun &run) {
    auto at = [&](size_t output, int64_t i) { return reinterpret_cast<const float *>(run.outputs[output].data())[i]; };
    std::string wrong;
    auto compare = [&](size_t output, int64_t i, float expected) {
      if (wrong.empty() && !(at(output, i) == expected))
        wrong = fmt::format("output {}[{}] is {}, not {}", output, i, at(output, i), expected);
    };
    for (int64_t i = 0; i < 2 * kBlock; ++i)
      compare(0, i, float(2 * i));
    for (int64_t i = 0; i < kSide * kSide; ++i) {
      float sum = 0;
      for (int64_t k = 0; k < kShared; ++k)
        sum += float(2 * (kSide + i / kSide * kShared + k)) * float(2 * (k * kSide + i % kSide));
      compare(1, i, sum);
    }
    for (int64_t i = 0; i < kBlock; ++i)
      compare(2, i, float(2 * (kBlock + i)));
    return wrong;
  }

  TestProgram program;
  std::string image = contentsOf(CONFORMANCE_KERNELS);
  fs::path messages = fs::temp_directory_path() / fmt::format("froe-seeded-test-{}", getpid());
};

TEST_F(SeededFaults, FiftyCleanRunsRaiseNoAlarm) {
  for (int seed = 0; seed < 50; ++seed)
    ASSERT_EQ(run("", -1, seed), "") << "seed " << seed;
}

TEST_P(SeededFaults, AreReported) {
  std::string report;
  for (int seed = 0; seed < 20 && report.empty(); ++seed) // what nobody orders may go well by chance
    report = run(GetParam().name, GetParam().rank, seed);
  EXPECT_NE(report, "");
  EXPECT_THAT(report, testing::ContainsRegex(GetParam().report));
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, SeededFaults,
    testing::Values(
        Fault{"no event before a collective", ""}, Fault{"no event behind a collective", "a capture ends"},
        Fault{"event on the wrong stream", ""}, Fault{"event not recorded", "event that was never recorded"},
        Fault{"results taken too early", ""}, Fault{"allocation too small", "beyond the allocation"},
        Fault{"memory leaked", "were not freed"}, Fault{"memory freed twice", "which was freed before"},
        Fault{"pageable memory", "pageable|not allocated as such"}, Fault{"pinned memory leaked", "were not freed"},
        Fault{"event leaked", "events were not destroyed"}, Fault{"module leaked", "modules were not destroyed"},
        Fault{"recorded execution leaked", "executable graph was not destroyed"},
        Fault{"communicator leaked", "communicators were not destroyed"}, Fault{"upload on the wrong stream", ""},
        Fault{"short upload", ""}, Fault{"long download", "goes beyond the allocation"}, Fault{"short copy", ""},
        Fault{"faults not cleared", "node '.*': "}, Fault{"parameters swapped", ""},
        Fault{"wrong grid", "launched with 2 blocks, made for 1"},
        Fault{"wrong block", "launched with blocks of 64 threads, made for 32"},
        Fault{"kernel on the wrong stream", ""}, Fault{"kernel not launched", ""},
        Fault{"replay with a stale pointer", "which was freed"}, Fault{"replay on the wrong stream", ""},
        Fault{"waits while recording", "recording an execution: CUDA error 90"},
        Fault{"wrong rank in a communicator", "two processes are rank 0 of one communicator"},
        // Whoever waits longer says so: rank 0 in the collective, or rank 1 in the sends of what it does instead.
        Fault{"collective missing", "waits in call #.*, AllGather of .* for rank 1|waits to receive from rank 0", 1},
        Fault{"collective of another size", "does not match: .*AllGather of 44 u8", 1},
        Fault{"collective of another type", "does not match: .*AllGather of 48 i8", 1},
        Fault{"communicators swapped", "waits in call #", 1}, Fault{"collective on the wrong stream", ""},
        Fault{"send of another size", "rank . sends Send of", 1}, Fault{"send to the wrong rank", "", 1},
        Fault{"memory stays registered", "destroyed while memory is registered"},
        Fault{"matrix taken for its transpose", "cublasLt double: "}, Fault{"rows too long", ""},
        Fault{"product on the wrong stream", ""}, Fault{"factors swapped", ""}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

} // namespace
} // namespace froe::test

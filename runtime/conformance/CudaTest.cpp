// What only programs for CUDA devices do: kernels of an image, recorded executions, and errors that name their cause.
#include "runtime/conformance/TestProgram.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe::test {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr int64_t kBlock = 12, kCount = 2 * kBlock;
constexpr uint64_t kIn = 0, kScaled = 256, kOut = 512;
const int64_t kShape[] = {kCount};
const froe_axes kAxes{1, {0}}, kWhole{0, {}};
const float kFactor = 2;

/// y = all_gather(2 * x), with x cut over the ranks.
void scaleAndGather(froe_rt *rt) {
  auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
  void *buffers[] = {arena + kIn, const_cast<void *>(froe_rt_constant(rt, 0)), arena + kScaled};
  froe_rt_launch(rt, 0, 0, 1, buffers);
  froe_rt_all_gather(rt, 1, &kAxes, FROE_F32, 1, kCount, 1, arena + kScaled, arena + kOut);
}

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    if (!onCuda())
      GTEST_SKIP() << "FROE_TEST_DEVICE is not 'cuda'";
    fs::create_directories(folder);
    program.mesh = {2};
    program.run = scaleAndGather;
    program.recorded = true;
    program.steps = {{"scale", "scale"}, {"gather", "all_gather"}};
    program.arenaBytes = 1 << 20;
    program.inputs = {{"x", FROE_F32, 1, kShape, &kAxes, kIn}};
    program.outputs = {{"y", FROE_F32, 1, kShape, &kWhole, kOut}};
    program.images = {{"sm_80", image.data(), image.size()}};
    program.kernels = {{"scale", 32, 0, 3}};
    program.constants = {{&kFactor, sizeof kFactor}};
    for (int64_t i = 0; i < kCount; ++i)
      values[size_t(i)] = float(i);
  }

  std::expected<void, Failure> start(TestRun &run) {
    run.inputs = {std::vector<std::byte>(reinterpret_cast<const std::byte *>(values.data()),
                                         reinterpret_cast<const std::byte *>(values.data() + values.size()))};
    return runRanks(program, run);
  }
  void expectResult(TestRun &run) {
    EXPECT_EQ(outcome(start(run)), "done");
    const auto *found = reinterpret_cast<const float *>(run.outputs[0].data());
    for (int64_t i = 0; i < kCount; ++i)
      EXPECT_EQ(found[i], 2 * values[size_t(i)]);
  }
  /// With environment variables of the ranks, or of one of them.
  void set(const std::vector<std::pair<const char *, const char *>> &variables, int only = -1) {
    program.beforeStart = [=, this](int rank) {
      for (auto [name, value] : variables)
        if (only < 0 || rank == only)
          setenv(name, value, 1);
      setenv("FROE_DOUBLE_LOG", log.c_str(), 1);
      sendErrorsTo(messages);
    };
  }
  void expectFailure(const char *variable, const char *value, int exitCode, const char *message, int only = -1) {
    set({{variable, value}}, only);
    TestRun run;
    expectFailure(run, exitCode, message);
  }
  void expectFailure(TestRun &run, int exitCode, const char *message) {
    auto result = start(run);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(message));
    EXPECT_EQ(result.error().exitCode, exitCode);
  }

  void TearDown() override { fs::remove_all(folder); }

  TestProgram program;
  std::string image = contentsOf(CONFORMANCE_KERNELS);
  /// Text that the double takes for PTX; its kernel is run by a twin of the same name.
  std::string ptx = ".version 8.0\n.target sm_80\n.visible .entry scale(.param .u64 a)\n";
  fs::path folder = fs::temp_directory_path() / fmt::format("froe-cuda-test-{}", getpid());
  fs::path log = folder / "log", messages = folder / "messages";
  std::vector<float> values = std::vector<float>(kCount);
};

TEST_F(Cuda, FiftyRunsWithRandomDelays) {
  for (int i = 0; i < 50; ++i) {
    program.beforeStart = [i](int) {
      setenv("FROE_DOUBLE_DELAY", "200", 1);
      setenv("FROE_DOUBLE_SEED", std::to_string(i).c_str(), 1);
    };
    TestRun run;
    run.options.repeat = 1 + i % 4; // the second execution is recorded, later ones play it again
    run.options.graph = i % 3 != 0;
    expectResult(run);
  }
}

/// The second step goes on beside the third; the fourth reads what it wrote, and writes what it read.
void scaleBesideGather(froe_rt *rt) {
  auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
  auto scale = [&](int32_t step, uint64_t from, uint64_t to) {
    void *buffers[] = {arena + from, const_cast<void *>(froe_rt_constant(rt, 0)), arena + to};
    froe_rt_launch(rt, step, 0, 1, buffers);
  };
  scale(0, kIn, kScaled);
  froe_rt_all_gather(rt, 1, &kAxes, FROE_F32, 1, kCount, 1, arena + kScaled, arena + kOut);
  scale(2, kIn, kIn);
  froe_rt_wait(rt, 1);
  scale(3, kOut, kScaled);
}

TEST_F(Cuda, StepsGoOnBesideACollectiveUntilItIsWaitedFor) {
  program.run = scaleBesideGather;
  program.steps = {{"scale", "scale"}, {"gather", "all_gather", 1}, {"beside", "scale"}, {"behind", "scale"}};
  program.outputs.push_back({"beside", FROE_F32, 1, kShape, &kAxes, kIn});
  program.outputs.push_back({"behind", FROE_F32, 1, kShape, &kAxes, kScaled});
  for (int i = 0; i < 50; ++i) {
    program.beforeStart = [i](int) {
      setenv("FROE_DOUBLE_DELAY", "200", 1);
      setenv("FROE_DOUBLE_SEED", std::to_string(i).c_str(), 1);
    };
    TestRun run;
    run.options.repeat = 1 + i % 4;
    run.options.graph = i % 3 != 0;
    expectResult(run);
    const auto *beside = reinterpret_cast<const float *>(run.outputs[1].data());
    const auto *behind = reinterpret_cast<const float *>(run.outputs[2].data());
    for (int64_t j = 0; j < kCount; ++j) {
      EXPECT_EQ(beside[j], 2 * values[size_t(j)]) << "run " << i << ", element " << j;
      EXPECT_EQ(behind[j], 4 * values[size_t(j % kBlock)]) << "run " << i << ", element " << j;
    }
  }
}

TEST_F(Cuda, AFaultNamesTheNode) {
  for (int repeat : {1, 3}) {
    values[17] = -1;
    TestRun run;
    run.options.repeat = repeat;
    auto result = start(run);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("node 'scale': index out of range (rank 1, step 0"));
    EXPECT_EQ(result.error().exitCode, 1);
  }
}

TEST_F(Cuda, WhatIsMissingIsNamed) {
  expectFailure("FROE_CUDA_PLUGIN", "/nowhere/libfroe_cuda.so", 1, "its plug-in cannot be loaded");
  expectFailure("FROE_LIBCUDA", "/nowhere/libcuda.so", 1, "no NVIDIA driver is installed");
  expectFailure("FROE_LIBNCCL", "/nowhere/libnccl.so", 1, "several GPUs need NCCL, which cannot be loaded");
  expectFailure("FROE_DOUBLE_DEVICES", "0", 1, "no NVIDIA GPU");
  expectFailure("FROE_DOUBLE_DEVICES", "1", 1, "2 ranks need 2 GPUs, this machine has 1");
  expectFailure("FROE_DOUBLE_DRIVER", "11080", 1, "supports CUDA 11.8, 12.0 or newer is needed");
  expectFailure("FROE_DOUBLE_ARCH", "75", 1, "the GPU is sm_75, sm_80 or newer is needed");
  expectFailure("FROE_DOUBLE_ARCH", "90", 1,
                "the GPU is sm_90, the package has kernels for sm_80: compile it with --target cuda:sm_90");
  expectFailure("FROE_DOUBLE_SAME_GPU", "1", 1, "are on the same GPU: NCCL needs one for each rank");
  expectFailure("FROE_DOUBLE_NCCL", "22705", 1, "all need the same", 1);
}

TEST_F(Cuda, TooLittleMemoryIsFoundBeforeAnythingRuns) {
  expectFailure("FROE_DOUBLE_MEMORY", "1000000", 1,
                "GiB of its GPU's memory (1048852 bytes: arena 1048576, weights and constants 256, faults 20)");
  expectFailure("FROE_DOUBLE_MEMORY", "1000000", 1, "0.00 GiB are free (1000000 bytes of 1000000)");
  expectFailure("FROE_DOUBLE_MEMORY", "1048900", 1, "bytes: scratch 96), 0.00 GiB are free");
}

TEST_F(Cuda, OneRankNeedsNoNccl) {
  program.mesh = {1};
  program.run = [](froe_rt *rt) {
    auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
    froe_rt_all_gather(rt, 1, &kAxes, FROE_F32, 1, kCount, 1, arena + kIn, arena + kOut);
  };
  set({{"FROE_LIBNCCL", "/nowhere/libnccl.so"}});
  TestRun run;
  EXPECT_EQ(outcome(start(run)), "done");
}

TEST_F(Cuda, NewerGpusTakePtx) {
  program.images.push_back({"compute_80", ptx.data(), ptx.size()});
  set({{"FROE_DOUBLE_ARCH", "90"}, {"FROE_DOUBLE_TWINS", CONFORMANCE_KERNELS}});
  TestRun run;
  expectResult(run);
  EXPECT_EQ(contentsOf(messages),
            "note: the driver compiles the package's kernels from PTX (compute_80) for sm_90, which "
            "takes a while: the package is for sm_80, compute_80\n"); // by one rank
}

TEST_F(Cuda, AnOldDriverTakesPtxForBinariesThatItRefuses) {
  program.images.push_back({"compute_80", ptx.data(), ptx.size()});
  set({{"FROE_DOUBLE_BINARIES", "222"}, {"FROE_DOUBLE_TWINS", CONFORMANCE_KERNELS}});
  TestRun run;
  expectResult(run);
  EXPECT_THAT(contentsOf(messages), HasSubstr("it refuses sm_80 (error 222"));
  expectFailure("FROE_DOUBLE_PTX", "222", 1, "the NVIDIA driver (CUDA 13.0) is too old for the runtime's own kernels");
  program.images.pop_back();
  expectFailure("FROE_DOUBLE_BINARIES", "222", 1,
                "the NVIDIA driver (CUDA 13.0) refuses the package's kernels: sm_80 (error 222");
}

TEST_F(Cuda, AnIllegalAccessNamesTheNode) {
  set({{"FROE_DOUBLE_FAULT", "scale"}});
  TestRun run;
  expectFailure(run, 4, "step 0 'scale' (scale) failed on the GPU: CUDA error 700");
}

TEST_F(Cuda, TheArenaIsRegisteredWithEveryCommunicator) {
  program.mesh = {2, 2};
  const froe_axes whole{2, {0, 1}};
  program.run = [&](froe_rt *rt) {
    auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
    froe_rt_all_gather(rt, 0, &kAxes, FROE_F32, 1, kCount, 1, arena + kIn, arena + kOut);
    froe_rt_all_gather(rt, 1, &whole, FROE_F32, 1, kCount, 1, arena + kIn, arena + kOut);
  };
  set({});
  TestRun run;
  EXPECT_EQ(outcome(start(run)), "done");
  EXPECT_THAT(contentsOf(log), HasSubstr("rank 3 of 4: register 1048576 bytes\n"));
  EXPECT_THAT(contentsOf(log), HasSubstr("rank 1 of 2: register 1048576 bytes\n"));
}

TEST_F(Cuda, WithoutCublasLtAKernelOfTheRuntimeMultiplies) {
  program.run = [](froe_rt *rt) {
    auto *arena = static_cast<std::byte *>(froe_rt_arena(rt));
    froe_matmul p{};
    p.m = p.n = p.k = 4, p.weight = -1;
    p.a_m_stride = p.b_k_stride = p.c_m_stride = 4, p.a_k_stride = p.b_n_stride = p.c_n_stride = 1;
    void *buffers[] = {arena + kIn, arena + kIn, arena + kScaled};
    froe_rt_matmul(rt, 0, &p, buffers);
  };
  set({{"FROE_LIBCUBLASLT", "/nowhere/libcublasLt.so"}});
  TestRun run;
  EXPECT_EQ(outcome(start(run)), "done");
  EXPECT_THAT(contentsOf(messages), testing::MatchesRegex("note: matrix products run on a slow kernel of Froe's own: "
                                                          "cuBLASLt cannot be loaded [^\n]*\n")); // by one rank
}

TEST_F(Cuda, AnErrorOfNcclNamesRankAndStep) {
  for (int repeat : {1, 3}) { // as it is, and recorded
    set({{"FROE_DOUBLE_NCCL_FAILS", repeat == 1 ? "1" : "3"}, {"FROE_DOUBLE_TIMEOUT", "0"}}, 1);
    TestRun run;
    run.options.repeat = repeat;
    expectFailure(run, 4, "rank 1: step 1 'gather' (all_gather): NCCL error 2 (");
  }
}

/// The communicators of all ranks that still can are aborted, so that no kernel stays on a GPU.
TEST_F(Cuda, AHungCollectiveEndsAllRanks) {
  program.mesh = {3};
  program.run = [](froe_rt *rt) {
    if (rt->rank == 2 && rt->execution >= 0)
      for (;;)
        pause();
    for (int i = 0; i < 4; ++i)
      scaleAndGather(rt);
  };
  for (const char *queue : {"1000", "4"}) { // a full queue holds up the rank in the midst of the calls
    fs::remove(log);
    set({{"FROE_DOUBLE_TIMEOUT", "0"}, {"FROE_DOUBLE_QUEUE", queue}});
    TestRun run;
    run.options.collectiveTimeoutSeconds = 0.3;
    expectFailure(run, 4, "for step 1 'gather' (all_gather)\n  rank 0: execution 0");
    EXPECT_THAT(contentsOf(log), HasSubstr("rank 0 of 3: abort\n"));
    EXPECT_THAT(contentsOf(log), HasSubstr("rank 1 of 3: abort\n"));
  }
}

// --- Matrix products ---------------------------------------------------------------------------------------------

struct ProductCase {
  int32_t type = FROE_F32;
  bool aTransposed = false, bTransposed = false;
  bool broadcastB = false; // over the outer batch dim
  std::vector<int32_t> posts;
  bool wide = false; // c and operands of posts are f32
};

constexpr int64_t kOuter = 2, kHeads = 3, kM = 4, kN = 6, kK = 5;
constexpr uint64_t kA = 0, kB = 16 << 10, kC = 32 << 10, kBias = 48 << 10, kResidual = 64 << 10;

froe_matmul describe(const ProductCase &c) {
  froe_matmul p{};
  p.type = c.type, p.c_type = c.wide ? int32_t(FROE_F32) : c.type, p.batch_rank = 2, p.m = kM, p.n = kN, p.k = kK,
  p.weight = -1;
  p.batch[0] = kOuter, p.batch[1] = kHeads;
  auto strides = [](int64_t *batch, int64_t size) { batch[0] = kHeads * size, batch[1] = size; };
  strides(p.a_batch_stride, kM * kK), strides(p.b_batch_stride, kK * kN), strides(p.c_batch_stride, kM * kN);
  p.a_m_stride = c.aTransposed ? 1 : kK, p.a_k_stride = c.aTransposed ? kM : 1;
  p.b_k_stride = c.bTransposed ? 1 : kN, p.b_n_stride = c.bTransposed ? kK : 1;
  p.c_m_stride = kN, p.c_n_stride = 1;
  if (c.broadcastB)
    p.b_batch_stride[0] = 0;
  for (int32_t kind : c.posts) {
    froe_post &post = p.posts[p.post_count++];
    post.kind = kind, post.value = 0.5f;
    bool residual = kind == FROE_POST_ADD && p.post_count == 2; // behind a bias
    if (kind == FROE_POST_ADD && !residual)
      post.buffer = 3, post.n_stride = 1;
    if (kind == FROE_POST_MUL || residual) {
      post.buffer = 4, post.m_stride = kN, post.n_stride = 1;
      strides(post.batch_stride, kM * kN);
    }
  }
  return p;
}

double post(double value, const froe_post &post, double operand) {
  switch (post.kind) {
  case FROE_POST_SCALE:
    return value * double(post.value);
  case FROE_POST_ADD:
    return value + operand;
  case FROE_POST_MUL:
    return value * operand;
  case FROE_POST_RELU:
    return std::max(value, 0.0);
  case FROE_POST_GELU_ERF:
    return 0.5 * value * (1 + std::erf(value * 0.70710678118654752440));
  case FROE_POST_GELU_TANH:
    return 0.5 * value * (1 + std::tanh(0.79788456080286535588 * (value + 0.044715 * value * value * value)));
  case FROE_POST_SILU:
    return value / (1 + std::exp(-value));
  case FROE_POST_TANH:
    return std::tanh(value);
  default:
    return 1 / (1 + std::exp(-value));
  }
}

template <class T, class Result = T> void multiplyAndCheck(froe_rt *rt, const ProductCase &c) {
  froe_matmul p = describe(c);
  auto at = [&](uint64_t offset) { return reinterpret_cast<T *>(rt->arena + offset); };
  auto resultAt = [&](uint64_t offset) { return reinterpret_cast<Result *>(rt->arena + offset); };
  auto fill = [](auto *to, int64_t step) {
    for (int64_t i = 0; i < 1000; ++i)
      to[i] = std::remove_pointer_t<decltype(to)>(float((i * step) % 9 - 4) / 4);
  };
  fill(at(kA), 5), fill(at(kB), 7), fill(resultAt(kBias), 3), fill(resultAt(kResidual), 11);
  void *buffers[] = {at(kA), at(kB), at(kC), at(kBias), at(kResidual)};
  froe_rt_matmul(rt, 0, &p, buffers);
  if (!settled(rt))
    return;
  for (int64_t o = 0; o < kOuter; ++o)
    for (int64_t h = 0; h < kHeads; ++h)
      for (int64_t m = 0; m < kM; ++m)
        for (int64_t n = 0; n < kN; ++n) {
          double value = 0;
          for (int64_t k = 0; k < kK; ++k)
            value +=
                double(
                    at(kA)[o * p.a_batch_stride[0] + h * p.a_batch_stride[1] + m * p.a_m_stride + k * p.a_k_stride]) *
                double(at(kB)[o * p.b_batch_stride[0] + h * p.b_batch_stride[1] + k * p.b_k_stride + n * p.b_n_stride]);
          int64_t place = o * p.c_batch_stride[0] + h * p.c_batch_stride[1] + m * kN + n;
          for (int32_t i = 0; i < p.post_count; ++i)
            value = post(value, p.posts[i],
                         double(p.posts[i].buffer == 3 ? resultAt(kBias)[n] : resultAt(kResidual)[place]));
          auto found = double(resultAt(kC)[place]),
               tolerance = (sizeof(Result) == 2 ? 5e-3 : 2e-6) * (1 + std::abs(value));
          require(rt, std::abs(found - value) <= tolerance, fmt::format("element {}: {}, not {}", place, found, value));
        }
}

std::vector<ProductCase> productCases() {
  std::vector<ProductCase> cases;
  for (bool aTransposed : {false, true})
    for (bool bTransposed : {false, true})
      for (bool broadcastB : {false, true})
        cases.push_back({FROE_F32, aTransposed, bTransposed, broadcastB, {}});
  using Posts = std::vector<int32_t>;
  for (const Posts &posts :
       {Posts{FROE_POST_SCALE}, Posts{FROE_POST_ADD, FROE_POST_RELU}, Posts{FROE_POST_ADD, FROE_POST_GELU_TANH},
        Posts{FROE_POST_ADD, FROE_POST_GELU_ERF}, Posts{FROE_POST_ADD, FROE_POST_ADD, FROE_POST_RELU},
        Posts{FROE_POST_SCALE, FROE_POST_ADD, FROE_POST_MUL}, Posts{FROE_POST_SILU}, Posts{FROE_POST_TANH},
        Posts{FROE_POST_SIGMOID, FROE_POST_MUL}}) {
    cases.push_back({FROE_F32, false, false, false, posts});
    cases.push_back({FROE_F16, false, true, true, posts});
    cases.push_back({FROE_F16, true, false, false, posts, /*wide=*/true});
  }
  return cases;
}

TEST(CudaProducts, AreThoseOfPlainLoops) {
  if (!onCuda())
    GTEST_SKIP() << "FROE_TEST_DEVICE is not 'cuda'";
  for (const char *variable : {"FROE_NOTHING", "FROE_DOUBLE_LT_REFUSES", "FROE_LIBCUBLASLT"})
    for (const ProductCase &c : productCases()) {
      TestProgram program;
      program.mesh = {1};
      program.beforeStart = [=](int) {
        setenv(variable, "1", 1);
        std::freopen("/dev/null", "w", stderr); // where the library is missing, that is said
      };
      program.run = [c](froe_rt *rt) {
        if (c.wide)
          return multiplyAndCheck<_Float16, float>(rt, c);
        c.type == FROE_F32 ? multiplyAndCheck<float>(rt, c) : multiplyAndCheck<_Float16>(rt, c);
      };
      EXPECT_EQ(outcome(runRanks(program)), "done") << variable << ", posts " << testing::PrintToString(c.posts);
    }
}

} // namespace
} // namespace froe::test

// The double of the driver: what works, and what is caught.
#include "test/doubles/tests/Gpu.h"

#include <cstdlib>
#include <numeric>

namespace froe::cuda {
namespace {

std::vector<float> numbers() {
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

/// in -> compute: b = 2a -> other: c = 2b -> host, with or without the event between the streams.
bool pipelineWorks(Gpu &gpu, Function twice, bool withEvent) {
  Address a = gpu.allocate(), b = gpu.allocate(), c = gpu.allocate();
  gpu.upload(a, numbers());
  gpu.launch(twice, a, b, gpu.compute);
  cuEventRecord(gpu.event, gpu.compute);
  if (withEvent)
    cuStreamWaitEvent(gpu.other, gpu.event, 0);
  gpu.launch(twice, b, c, gpu.other);
  std::vector<float> result = gpu.download(c, kCount, gpu.other);
  cuStreamSynchronize(gpu.compute);
  for (Address address : {a, b, c})
    cuMemFree_v2(address);
  for (int64_t i = 0; i < kCount; ++i)
    if (result[size_t(i)] != 4.0f * float(i))
      return false;
  return true;
}

TEST(DriverDouble, FiftyCleanRunsRaiseNoAlarm) {
  for (int run = 0; run < 50; ++run) {
    Gpu gpu;
    EXPECT_TRUE(pipelineWorks(gpu, gpu.function("twice"), true)) << "run " << run;
    gpu.close();
  }
}

TEST(DriverDouble, AMissingEventShows) {
  Gpu gpu;
  Function twice = gpu.function("twice");
  int wrong = 0;
  for (int run = 0; run < 30; ++run)
    wrong += !pipelineWorks(gpu, twice, false);
  EXPECT_GT(wrong, 0);
  gpu.close();
}

/// Captures b = 2a on compute and c = 2b on other.
GraphExec capture(Gpu &gpu, Address a, Address b, Address c, bool joins = true) {
  Function twice = gpu.function("twice");
  EXPECT_EQ(cuStreamBeginCapture_v2(gpu.compute, kCaptureThreadLocal), kSuccess);
  gpu.launch(twice, a, b, gpu.compute);
  cuEventRecord(gpu.event, gpu.compute);
  cuStreamWaitEvent(gpu.other, gpu.event, 0);
  gpu.launch(twice, b, c, gpu.other);
  cuEventRecord(gpu.event, gpu.other);
  if (joins)
    cuStreamWaitEvent(gpu.compute, gpu.event, 0);
  Graph graph;
  GraphExec exec;
  EXPECT_EQ(cuStreamEndCapture(gpu.compute, &graph), kSuccess);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), kSuccess);
  cuGraphDestroy(graph);
  return exec;
}

TEST(DriverDouble, GraphsRunAgainAndAgain) {
  Gpu gpu;
  Address a = gpu.allocate(), b = gpu.allocate(), c = gpu.allocate();
  GraphExec exec = capture(gpu, a, b, c);
  for (int run = 0; run < 20; ++run) {
    gpu.upload(a, std::vector<float>(kCount, float(run)));
    cuGraphLaunch(exec, gpu.compute);
    EXPECT_EQ(gpu.download(c, kCount, gpu.compute), std::vector<float>(kCount, 4.0f * float(run)));
  }
  cuGraphExecDestroy(exec);
  for (Address address : {a, b, c})
    cuMemFree_v2(address);
  gpu.close();
}

TEST(DriverDouble, RefusesWhatAGpuRefuses) {
  Gpu gpu;
  Function twice = gpu.function("twice");
  Address a = gpu.allocate();
  EXPECT_EQ(gpu.launch(twice, a, a, gpu.compute, 1, 1025), kInvalidValue);
  EXPECT_EQ(gpu.launch(twice, a, a, gpu.compute, 0, 64), kInvalidValue);
  EXPECT_EQ(gpu.launch(twice, a, a, gpu.compute, 1, 64, 1 << 20), kInvalidValue);
  Address large;
  EXPECT_EQ(cuMemAlloc_v2(&large, size_t(1) << 40), kOutOfMemory);
  Module module;
  EXPECT_EQ(cuModuleLoadDataEx(&module, "nonsense", 0, nullptr, nullptr), kInvalidImage);
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".target sm_80\n.visible .entry other(\n", 0, nullptr, nullptr), kSuccess);
  Function missing;
  EXPECT_EQ(cuModuleGetFunction(&missing, module, "twice"), kNotFound);
  cuModuleUnload(module);
  EXPECT_EQ(cuStreamBeginCapture_v2(gpu.compute, kCaptureThreadLocal), kSuccess);
  EXPECT_EQ(cuStreamSynchronize(gpu.compute), kCaptureUnsupported);
  Graph graph;
  EXPECT_EQ(cuStreamEndCapture(gpu.compute, &graph), kCaptureInvalidated);
  cuMemFree_v2(a);
  gpu.close();
}

struct Bug {
  const char *name;
  void (*body)(Gpu &gpu);
  const char *message;
};

class Bugs : public testing::TestWithParam<Bug> {};

TEST_P(Bugs, AreCaught) {
  auto run = [] {
    Gpu gpu;
    GetParam().body(gpu);
    cuStreamSynchronize(gpu.compute);
    cuStreamSynchronize(gpu.other);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(kAlarm), GetParam().message);
}

void touchFreed(Gpu &gpu) {
  Address a = gpu.allocate(), b = gpu.allocate();
  Function twice = gpu.function("twice");
  cuMemFree_v2(a);
  gpu.launch(twice, a, b, gpu.compute);
}

INSTANTIATE_TEST_SUITE_P(
    DriverDouble, Bugs,
    testing::Values(
        Bug{"CopyBeyondTheAllocation", [](Gpu &gpu) { gpu.upload(gpu.allocate(), std::vector<float>(kCount + 1)); },
            "copy to the device of 4004 bytes at .* goes beyond the allocation of 4000 bytes"},
        Bug{"FillBeyondTheAllocation", [](Gpu &gpu) { cuMemsetD8Async(gpu.allocate() + 4, 0, kBytes, gpu.compute); },
            "fill of 4000 bytes"},
        Bug{"KernelBeyondTheAllocation",
            [](Gpu &gpu) {
              gpu.launch(gpu.function("twice"), gpu.allocate(), gpu.allocate(), gpu.compute, 4, 64, 0, kCount + 2000);
            },
            "touched .* beyond the allocation of 4000 bytes"},
        Bug{"UseAfterFreeInAKernel", touchFreed, "parameter 0 of kernel 'twice' is .*, which was freed"},
        Bug{"UseAfterFreeInACopy",
            [](Gpu &gpu) {
              Address a = gpu.allocate();
              cuMemFree_v2(a);
              gpu.upload(a, numbers());
            },
            "which was freed"},
        Bug{"HostPointerAsDevicePointer",
            [](Gpu &gpu) {
              static float host[kCount];
              cuMemsetD8Async(Address(host), 0, kBytes, gpu.compute);
            },
            "is not device memory"},
        Bug{"FreeTwice",
            [](Gpu &gpu) {
              Address a = gpu.allocate();
              cuMemFree_v2(a);
              cuMemFree_v2(a);
            },
            "freed before"},
        Bug{"Leak",
            [](Gpu &gpu) {
              gpu.allocate();
              gpu.close();
            },
            "1 allocations of 4000 bytes altogether were not freed"},
        Bug{"PinnedLeak",
            [](Gpu &gpu) {
              void *memory;
              cuMemHostAlloc(&memory, 100, 0);
              gpu.close();
            },
            "1 allocations of 100 bytes"},
        Bug{"GraphLeak",
            [](Gpu &gpu) {
              Address a = gpu.allocate(), b = gpu.allocate(), c = gpu.allocate();
              capture(gpu, a, b, c);
              for (Address address : {a, b, c})
                cuMemFree_v2(address);
              gpu.close();
            },
            "1 executable graph was not destroyed"},
        Bug{"WrongGrid",
            [](Gpu &gpu) { gpu.launch(gpu.function("strict"), gpu.allocate(), gpu.allocate(), gpu.compute, 5); },
            "kernel 'strict': launched with 5 blocks, made for 4"},
        Bug{"WrongBlock",
            [](Gpu &gpu) { gpu.launch(gpu.function("strict"), gpu.allocate(), gpu.allocate(), gpu.compute, 4, 32); },
            "launched with blocks of 32 threads, made for 64"},
        Bug{"TooLittleSharedMemory",
            [](Gpu &gpu) { gpu.launch(gpu.function("strict"), gpu.allocate(), gpu.allocate(), gpu.compute, 4, 64, 0); },
            "launched with 0 bytes of shared memory, needs 128"},
        Bug{"EventNeverRecorded", [](Gpu &gpu) { cuStreamWaitEvent(gpu.other, gpu.event, 0); }, "never recorded"},
        Bug{"CaptureNotJoined", [](Gpu &gpu) { capture(gpu, gpu.allocate(), gpu.allocate(), gpu.allocate(), false); },
            "a capture ends while another stream has work"},
        Bug{"ReplayWithStalePointer",
            [](Gpu &gpu) {
              Address a = gpu.allocate(), b = gpu.allocate(), c = gpu.allocate();
              GraphExec exec = capture(gpu, a, b, c);
              cuMemFree_v2(b);
              cuGraphLaunch(exec, gpu.compute);
            },
            "parameter . of kernel 'twice' is .*, which was freed"}),
    [](const auto &info) { return info.param.name; });

} // namespace
} // namespace froe::cuda

int main(int argc, char **argv) {
  setenv("FROE_DOUBLE_DELAY", "200", 0); // whatever nobody orders happens in any order
  testing::InitGoogleTest(&argc, argv);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}

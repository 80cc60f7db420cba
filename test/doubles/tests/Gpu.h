// A device of the double, as a test uses it.
#pragma once

#include "runtime/cuda/Entries.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace froe::cuda {
#define FROE_DECLARE(name, parameters) extern "C" DriverResult name parameters;
FROE_DRIVER_ENTRIES(FROE_DECLARE)
#undef FROE_DECLARE
#define FROE_DECLARE(name, parameters) extern "C" NcclResult name parameters;
FROE_NCCL_ENTRIES(FROE_DECLARE)
#undef FROE_DECLARE
#define FROE_DECLARE(name, parameters) extern "C" LtResult name parameters;
FROE_CUBLASLT_ENTRIES(FROE_DECLARE)
#undef FROE_DECLARE

inline constexpr int kAlarm = 86;
inline constexpr int64_t kCount = 1000;
inline constexpr size_t kBytes = kCount * sizeof(float);

/// A context and two streams. Nothing is freed by itself: that is what some tests are about.
struct Gpu {
  Context context;
  Stream compute, other;
  Event event;
  std::vector<Module> modules;

  explicit Gpu(int ordinal = 0) {
    int device;
    EXPECT_EQ(cuInit(0), kSuccess);
    EXPECT_EQ(cuDeviceGet(&device, ordinal), kSuccess);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), kSuccess);
    EXPECT_EQ(cuCtxSetCurrent(context), kSuccess);
    cuStreamCreate(&compute, kStreamNonBlocking);
    cuStreamCreate(&other, kStreamNonBlocking);
    cuEventCreate(&event, kEventDisableTiming);
  }
  void close() {
    cuStreamDestroy_v2(compute);
    cuStreamDestroy_v2(other);
    cuEventDestroy_v2(event);
    for (Module module : modules)
      cuModuleUnload(module);
    cuDevicePrimaryCtxRelease_v2(0);
  }

  Address allocate(size_t bytes = kBytes) {
    Address address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, bytes), kSuccess);
    return address;
  }
  void upload(Address to, const std::vector<float> &values) {
    cuMemcpyHtoDAsync_v2(to, values.data(), values.size() * sizeof(float), compute);
  }
  std::vector<float> download(Address from, size_t count, Stream stream) {
    std::vector<float> values(count);
    cuMemcpyDtoHAsync_v2(values.data(), from, count * sizeof(float), stream);
    return values;
  }
  Function function(const char *name) {
    std::ifstream file(TEST_TWIN, std::ios::binary);
    std::string image(std::istreambuf_iterator<char>(file), {});
    Module module;
    Function function = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr), kSuccess);
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), kSuccess);
    modules.push_back(module);
    return function;
  }
  DriverResult launch(Function function, Address in, Address out, Stream stream, unsigned grid = 4, unsigned block = 64,
                      unsigned shared = 128, int64_t count = kCount) {
    void *parameters[] = {&in, &out, &count};
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, parameters, nullptr);
  }
};

} // namespace froe::cuda

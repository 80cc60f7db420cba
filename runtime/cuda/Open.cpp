// From nothing to a device that runs kernels: what can be missing is found here.
#include "runtime/cuda/Gpu.h"

#include <atomic>
#include <fmt/format.h>
#include <unistd.h>

namespace froe::cuda {

namespace {

constexpr int kOldestDriver = 12000;
constexpr unsigned kSecondsToAbort = 5;

/// Whether a kernel did what it must not: no call of this process succeeds any more.
bool isKernelFault(DriverResult result) {
  return result == kIllegalAddress || (result >= kHardwareStackError && result <= kLaunchFailed);
}

} // namespace

std::string Gpu::describe(DriverResult result) const {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  return fmt::format("{} ({}: {})", int(result), name ? name : "?", text ? text : "?");
}

std::string Gpu::driverVersion() const {
  int version = 0;
  driver.cuDriverGetVersion(&version);
  return versionText(version);
}

void Gpu::fail(int exitCode, const std::string &message) const {
  host.fail(host.context, exitCode, message.c_str());
  end(exitCode);
}

/// Others wait in kernels of NCCL, which only an abort ends; it must not wait for ever itself.
void Gpu::end(int exitCode) const {
  static std::atomic<bool> ending{false};
  if (ending.exchange(true)) // by the other thread
    for (;;)
      pause();
  if (abortCommunicators) {
    ::alarm(kSecondsToAbort);
    abortCommunicators(communicators);
  }
  _exit(exitCode);
}

void Gpu::endIfOthersFailed() const {
  if (host.failed(host.context))
    end(4); // the failure is another's, and written down
}

void Gpu::check(DriverResult result, const char *what) const {
  if (result == kSuccess)
    return;
  if (!isKernelFault(result) || !faults)
    fail(4, fmt::format("rank {}: {}: CUDA error {}", host.rank, what, describe(result)));
  int32_t step = marked(Mark::Computation); // memory of the host outlives the context
  if (step < 0)
    fail(4, fmt::format("rank {}: a kernel of a recorded execution failed: CUDA error {}; --no-graph tells which",
                        host.rank, describe(result)));
  fail(4, fmt::format("rank {}: {} failed on the GPU: CUDA error {}", host.rank, describeStep(step), describe(result)));
}

std::string Gpu::describeStep(int32_t step) const {
  if (step < 0)
    return "no step yet";
  return fmt::format("step {} '{}' ({})", step, host.program->steps[step].name, host.program->steps[step].what);
}

Gpu::Gpu(const froe_device_host &host) : host(host) {
  auto loaded = loadDriver();
  if (!loaded)
    fail(1, loaded.error());
  driver = *loaded;
  open();
  loadKernels();
  makeMemory();
  watchdog.emplace([this](bool first) { lookAtProgress(first); });
  if (host.trace)
    timeline.emplace(driver, compute, [this](DriverResult result) { check(result, "timing a step"); });
}

void Gpu::chooseDevice() {
  int version = 0, count = 0;
  DriverResult result = driver.cuInit(0);
  if (result == kStubLibrary)
    fail(1, "libcuda.so.1 is the toolkit's stub, not a driver: install the NVIDIA driver, or take the stub's folder "
            "out of LD_LIBRARY_PATH");
  if (result == kNoDevice)
    fail(1, "this machine has no NVIDIA GPU that the driver can use");
  if (result != kSuccess)
    fail(1, fmt::format("the NVIDIA driver does not start: error {}", describe(result)));
  check(driver.cuDriverGetVersion(&version), "reading the driver's version");
  if (version < kOldestDriver)
    fail(1, fmt::format("the NVIDIA driver supports CUDA {}, {} or newer is needed", versionText(version),
                        versionText(kOldestDriver)));
  check(driver.cuDeviceGetCount(&count), "counting GPUs");
  if (count < host.rank_count)
    fail(1, fmt::format("{} ranks need {} GPUs, this machine has {}", host.rank_count, host.rank_count, count));
  check(driver.cuDeviceGet(&device, host.rank), "choosing a GPU");
}

Uuid Gpu::uuid() const {
  Uuid uuid{};
  check(driver.cuDeviceGetUuid_v2(&uuid, device), "asking for the GPU's number");
  return uuid;
}

void Gpu::open() {
  chooseDevice();
  int major = 0, minor = 0;
  check(driver.cuDeviceGetAttribute(&major, kCapabilityMajor, device), "reading the compute capability");
  check(driver.cuDeviceGetAttribute(&minor, kCapabilityMinor, device), "reading the compute capability");
  arch = 10 * major + minor;
  check(driver.cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(driver.cuCtxSetCurrent(context), "making a context");
  for (Stream *stream : {&compute, &communication, &side})
    check(driver.cuStreamCreate(stream, kStreamNonBlocking), "making a stream");
  completions.resize(size_t(host.program->step_count));
  for (Event *event : {&ready, &done})
    check(driver.cuEventCreate(event, kEventDisableTiming), "making an event");
  for (int32_t step = 0; step < host.program->step_count; ++step)
    if (host.program->steps[step].waited)
      check(driver.cuEventCreate(&completions[size_t(step)], kEventDisableTiming), "making an event");
}

void Gpu::forget() {
  if (graph)
    driver.cuGraphExecDestroy(graph);
  graph = nullptr;
}

Gpu::~Gpu() {
  forget();
  watchdog.reset();
  timeline.reset();
  for (Stream stream : {compute, communication, side})
    driver.cuStreamDestroy_v2(stream);
  completions.insert(completions.end(), {ready, done});
  for (Event event : completions)
    if (event)
      driver.cuEventDestroy_v2(event);
  freeMemory();
  for (Module loaded : {module, builtIns})
    if (loaded)
      driver.cuModuleUnload(loaded);
  driver.cuDevicePrimaryCtxRelease_v2(device);
}

} // namespace froe::cuda

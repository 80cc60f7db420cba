#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

namespace froe::cuda {

namespace {

constexpr size_t kKeptAlignment = 256;
constexpr unsigned kBuiltInBlock = 256, kBuiltInGrid = 4096; // grids beyond that loop

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Between looks at the device: at once at first, for the sake of short executions, then ever less often.
void pauseAfter(int64_t waited) {
  if (waited < 100'000)
    return;
  waited < 1'000'000 ? void(sched_yield()) : void(usleep(20));
}

} // namespace

void Gpu::prepare(void (*run)(void *), void *argument) {
  phase = Phase::Learning;
  run(argument);
  size_t workspaceBytes = workspaceNeeded ? kWorkspaceBytes : 0;
  requireFree({{"scratch", scratchBytes}, {"arguments", keptBytes}, {"cuBLASLt's workspace", workspaceBytes}});
  scratchMemory = allocate(scratchBytes, "scratch");
  keptMemory = allocate(keptBytes, "arguments");
  workspaceMemory = allocate(workspaceBytes, "cuBLASLt's workspace");
  phase = Phase::Running;
}

void Gpu::runOnce(void (*run)(void *), void *argument) {
  keptUsed = 0;
  auto count = size_t(host.program->step_count);
  check(driver.cuMemsetD8Async(words, 0, count * sizeof(uint32_t), compute), "clearing faults");
  communicated = false;
  run(argument);
  if (communicated)
    joinCommunication();
  check(driver.cuMemcpyDtoHAsync_v2(faults, words, count * sizeof(uint32_t), compute), "reading faults");
}

void Gpu::record(void (*run)(void *), void *argument) {
  Graph recorded = nullptr;
  phase = Phase::Recording;
  check(driver.cuStreamBeginCapture_v2(compute, kCaptureThreadLocal), "recording an execution");
  runOnce(run, argument);
  check(driver.cuStreamEndCapture(compute, &recorded), "recording an execution");
  check(driver.cuGraphInstantiateWithFlags(&graph, recorded, 0), "recording an execution");
  check(driver.cuGraphDestroy(recorded), "recording an execution");
  phase = Phase::Running;
}

/// The first execution runs as it is, so that libraries make what they make once; the second is recorded.
void Gpu::execute(void (*run)(void *), void *argument) {
  std::fill_n(faults + host.program->step_count, 2, 0u); // marks: none
  if (timeline)
    timeline->start();
  watchdog->begin();
  if (timeline && executions != 0)
    timeline->hold();
  if (executions++ == 0 || !host.graph) {
    runOnce(run, argument);
    if (timeline)
      timeline->release();
    return;
  }
  if (!graph)
    record(run, argument);
  check(driver.cuGraphLaunch(graph, compute), "playing an execution");
}

void Gpu::finish() {
  int64_t begin = now();
  DriverResult state;
  while ((state = driver.cuStreamQuery(compute)) == kNotReady) {
    int64_t waited = now() - begin;
    pauseAfter(waited);
    if (waited < 100'000)
      continue;
    if (lookAtCommunicators)
      lookAtCommunicators(communicators);
  }
  watchdog->end();
  check(state, "an execution");
  checkFaults();
  if (timeline)
    timeline->finish([&](int32_t step, int64_t from, int64_t to) { host.ran(host.context, step, from, to); });
}

void Gpu::checkFaults() {
  for (int32_t step = 0; step < host.program->step_count; ++step)
    if (uint32_t fault = faults[step]) {
      host.fault(host.context, step, fault & FROE_FAULT_INDEX ? FROE_FAULT_INDEX : int32_t(fault));
      end(1);
    }
}

int32_t Gpu::marked(Mark mark) const {
  uint32_t &word = faults[host.program->step_count + int(mark)];
  return int32_t(std::atomic_ref(word).load(std::memory_order_relaxed)) - 1;
}

/// On the watchdog's thread, which must not call the driver: the rank's own thread may be inside it.
void Gpu::lookAtProgress(bool first) {
  endIfOthersFailed();
  std::pair seen(marked(Mark::Communication), marked(Mark::Computation));
  if (first || seen != progress)
    progress = seen, progressTime = now();
  int64_t waited = now() - progressTime;
  if (seen.first < 0 || waited <= host.timeout_nanoseconds)
    return; // this rank waits for none
  host.hang(host.context, seen.first, double(waited) * 1e-9);
  end(4);
}

void Gpu::mark(Mark mark, int32_t step, Stream stream) {
  Address number = words + Address(host.program->step_count + 1 + step) * sizeof(uint32_t);
  check(driver.cuMemcpyDtoHAsync_v2(faults + host.program->step_count + int(mark), number, sizeof(uint32_t), stream),
        "marking a step");
}

/// Where the first execution is, for errors that name no step; later ones are recorded, and too fast for that.
void Gpu::beginStep(int32_t step) {
  if (phase != Phase::Running)
    return;
  mark(Mark::Computation, step, compute);
  if (timeline)
    timeline->beginStep(step);
}

void Gpu::endStep() {
  if (timeline && phase == Phase::Running)
    timeline->endStep();
}

void Gpu::launch(int32_t step, int32_t kernel, int64_t grid, void *const *buffers) {
  const froe_device_kernel &entry = host.program->kernels[kernel];
  if (learning() || grid == 0)
    return;
  std::vector<Address> values;
  for (int32_t i = 0; i < entry.buffer_count; ++i)
    values.push_back(Address(buffers[i]));
  values.push_back(words + Address(step) * sizeof(uint32_t));
  std::vector<void *> parameters;
  for (Address &value : values)
    parameters.push_back(&value);
  check(driver.cuLaunchKernel(kernels[size_t(kernel)], unsigned(grid), 1, 1, unsigned(entry.block), 1, 1,
                              unsigned(entry.shared_bytes), compute, parameters.data(), nullptr),
        entry.name);
}

void Gpu::copyRows(Rows to, Rows from, size_t width, size_t rows, Stream stream) {
  if (learning() || width == 0 || rows == 0 || (to.address == from.address && to.pitch == from.pitch))
    return;
  if (rows == 1 || (to.pitch == width && from.pitch == width))
    return check(driver.cuMemcpyDtoDAsync_v2(to.address, from.address, width * rows, stream), "a copy");
  Copy2D copy{};
  copy.sourceType = copy.targetType = kDeviceMemory;
  copy.sourceDevice = from.address, copy.sourcePitch = from.pitch;
  copy.targetDevice = to.address, copy.targetPitch = to.pitch;
  copy.widthBytes = width, copy.height = rows;
  check(driver.cuMemcpy2DAsync_v2(&copy, stream), "a copy of rows");
}

void Gpu::clearRows(Rows to, size_t width, size_t rows, Stream stream) {
  if (!learning() && width != 0 && rows != 0)
    check(driver.cuMemsetD2D8Async(to.address, std::max(to.pitch, width), 0, width, rows, stream), "clearing rows");
}

Address Gpu::keep(const void *bytes, size_t count, Stream stream) {
  size_t aligned = (count + kKeptAlignment - 1) / kKeptAlignment * kKeptAlignment;
  if (learning()) {
    keptBytes += aligned;
    return 0;
  }
  Address place = keptMemory + keptUsed;
  keptUsed += aligned;
  if (executions == 1) // later executions find the same bytes there
    check(driver.cuMemcpyHtoDAsync_v2(place, bytes, count, stream), "copying arguments");
  return place;
}

void Gpu::launchBuiltIn(BuiltIn kernel, const void *arguments, size_t bytes, int64_t elements, Stream stream) {
  if (elements == 0)
    return;
  Address place = keep(arguments, bytes, stream);
  if (learning())
    return;
  int64_t blocks = std::min<int64_t>((elements + kBuiltInBlock - 1) / kBuiltInBlock, kBuiltInGrid);
  void *parameters[] = {&place};
  check(driver.cuLaunchKernel(builtIn[int(kernel)], unsigned(blocks), 1, 1, kBuiltInBlock, 1, 1, 0, stream, parameters,
                              nullptr),
        "launching a kernel of the runtime");
}

Address Gpu::scratch(size_t bytes) {
  scratchBytes = learning() ? std::max(scratchBytes, bytes) : scratchBytes;
  return scratchMemory;
}

void Gpu::beginCommunication(int32_t step) {
  if (learning())
    return;
  communicated = true;
  check(driver.cuEventRecord(ready, compute), "an event");
  check(driver.cuStreamWaitEvent(communication, ready, 0), "an event");
  mark(Mark::Communication, step, communication);
  if (timeline && phase == Phase::Running)
    timeline->move(communication);
}

void Gpu::endCommunication(int32_t step) {
  if (learning())
    return;
  if (host.program->steps[step].waited)
    check(driver.cuEventRecord(completions[size_t(step)], communication), "an event");
  else
    joinCommunication();
  mark(Mark::Communication, -1, communication); // computation need not wait for this
}

void Gpu::waitFor(int32_t step) {
  if (!learning())
    check(driver.cuStreamWaitEvent(compute, completions[size_t(step)], 0), "an event");
}

void Gpu::joinCommunication() {
  check(driver.cuEventRecord(done, communication), "an event");
  check(driver.cuStreamWaitEvent(compute, done, 0), "an event");
}

} // namespace froe::cuda

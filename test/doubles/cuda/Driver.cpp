// The entry points: what each checks at the call, and what it leaves to the stream.
#include "test/doubles/cuda/Double.h"

#include <cstring>
#include <fmt/format.h>

using namespace froe::doubles;

namespace {

thread_local Context current;
std::atomic<int> retained{0};

StreamState *of(Stream stream) { return reinterpret_cast<StreamState *>(stream); }
EventState *of(Event event) { return reinterpret_cast<EventState *>(event); }
ModuleState *of(Module module) { return reinterpret_cast<ModuleState *>(module); }
FunctionState *of(Function function) { return reinterpret_cast<FunctionState *>(function); }
std::shared_ptr<GraphState> *of(Graph graph) { return reinterpret_cast<std::shared_ptr<GraphState> *>(graph); }
std::shared_ptr<GraphState> *of(GraphExec exec) { return reinterpret_cast<std::shared_ptr<GraphState> *>(exec); }

bool present() { return setting("FROE_DOUBLE_DRIVER", 13000) != 0 && setting("FROE_DOUBLE_DEVICES", 8) != 0; }

DriverResult enqueue(Stream stream, Work work) {
  if (!current)
    return kInvalidContext;
  if (!stream)
    return kInvalidHandle; // the legacy stream waits for all others; nobody here wants that
  if (deviceState() != kSuccess)
    return deviceState();
  of(stream)->enqueue([work = std::move(work)] {
    if (deviceState() == kSuccess)
      work();
  });
  return kSuccess;
}

/// Waiting for a stream whose work is only written down can never end.
DriverResult outsideCapture(Stream stream) {
  if (!of(stream)->capture)
    return kSuccess;
  of(stream)->capture->invalid = true;
  return kCaptureUnsupported;
}

std::byte *bytes(froe::cuda::Address address) { return reinterpret_cast<std::byte *>(address); }

void checkRows(froe::cuda::Address address, size_t pitch, size_t width, size_t height, const char *what) {
  if (width != 0 && height != 0)
    checkDevice(address, (height - 1) * pitch + width, what);
}

} // namespace

extern "C" {

DriverResult cuInit(unsigned) { return present() ? kSuccess : kNoDevice; }

DriverResult cuDriverGetVersion(int *version) {
  *version = int(setting("FROE_DOUBLE_DRIVER", 13000));
  return kSuccess;
}

DriverResult cuGetErrorName(DriverResult result, const char **text) {
  *text = result == kSuccess ? "CUDA_SUCCESS" : result == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
  return kSuccess;
}

DriverResult cuGetErrorString(DriverResult result, const char **text) {
  static thread_local char buffer[64];
  fmt::format_to_n(buffer, sizeof buffer - 1, "error {} of the double\0", int(result));
  *text = buffer;
  return kSuccess;
}

DriverResult cuDeviceGetCount(int *count) {
  *count = int(setting("FROE_DOUBLE_DEVICES", 8));
  return kSuccess;
}

DriverResult cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < setting("FROE_DOUBLE_DEVICES", 8) ? kSuccess : kInvalidDevice;
}

DriverResult cuDeviceGetName(char *name, int size, int device) {
  std::strncpy(name, "CUDA double", size_t(size));
  return kSuccess;
}

DriverResult cuDeviceGetUuid_v2(Uuid *uuid, int device) {
  *uuid = {};
  uuid->bytes[0] = setting("FROE_DOUBLE_SAME_GPU", 0) ? 'G' : char('A' + device);
  return kSuccess;
}

DriverResult cuDeviceGetAttribute(int *value, Attribute attribute, int device) {
  int64_t arch = setting("FROE_DOUBLE_ARCH", 80);
  *value = attribute == kCapabilityMajor          ? int(arch / 10)
           : attribute == kCapabilityMinor        ? int(arch % 10)
           : attribute == kMultiprocessors        ? 4
           : attribute == kMaxSharedBytesPerBlock ? 48 << 10
                                                  : 0;
  return kSuccess;
}

DriverResult cuDevicePrimaryCtxRetain(Context *context, int device) {
  ++retained;
  *context = reinterpret_cast<Context>(uintptr_t(device) + 1);
  return kSuccess;
}

DriverResult cuDevicePrimaryCtxRelease_v2(int device) {
  if (--retained == 0)
    reportLeaks();
  return kSuccess;
}

DriverResult cuCtxSetCurrent(Context context) {
  current = context;
  return kSuccess;
}

DriverResult cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = freeBytes();
  *total = size_t(setting("FROE_DOUBLE_MEMORY", int64_t(4) << 30));
  return current ? kSuccess : kInvalidContext;
}

DriverResult cuMemAlloc_v2(froe::cuda::Address *address, size_t bytes) {
  return current ? allocateDevice(address, bytes) : kInvalidContext;
}
DriverResult cuMemFree_v2(froe::cuda::Address address) { return address ? freeDevice(address) : kSuccess; }
DriverResult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return current ? allocateHost(memory, bytes) : kInvalidContext;
}
DriverResult cuMemFreeHost(void *memory) { return freeHost(memory); }

DriverResult cuMemcpyHtoDAsync_v2(froe::cuda::Address to, const void *from, size_t count, Stream stream) {
  if (isPinned(from))
    return enqueue(stream, [=] {
      checkDevice(to, count, "copy to the device");
      std::memcpy(bytes(to), from, count);
    });
  std::vector<std::byte> copy(static_cast<const std::byte *>(from), static_cast<const std::byte *>(from) + count);
  DriverResult result = enqueue(stream, [=] { // pageable memory is read before the call returns
    checkDevice(to, count, "copy to the device");
    std::memcpy(bytes(to), copy.data(), count);
  });
  if (result == kSuccess && !of(stream)->capture)
    of(stream)->synchronize(); // which a driver may do, to copy through pinned memory
  return result;
}

DriverResult cuMemcpyDtoHAsync_v2(void *to, froe::cuda::Address from, size_t count, Stream stream) {
  DriverResult result = enqueue(stream, [=] {
    checkDevice(from, count, "copy to the host");
    std::memcpy(to, bytes(from), count);
  });
  if (result == kSuccess && !isPinned(to)) {
    if (of(stream)->capture)
      alarm("a captured copy goes to pageable memory");
    of(stream)->synchronize();
  }
  return result;
}

DriverResult cuMemcpyDtoDAsync_v2(froe::cuda::Address to, froe::cuda::Address from, size_t count, Stream stream) {
  return enqueue(stream, [=] {
    checkDevice(from, count, "copy (source)");
    checkDevice(to, count, "copy (target)");
    std::memcpy(bytes(to), bytes(from), count);
  });
}

DriverResult cuMemcpy2DAsync_v2(const Copy2D *copy, Stream stream) {
  if (copy->sourceType != kDeviceMemory || copy->targetType != kDeviceMemory || copy->widthBytes > copy->sourcePitch ||
      copy->widthBytes > copy->targetPitch)
    return kInvalidValue;
  return enqueue(stream, [c = *copy] {
    froe::cuda::Address from = c.sourceDevice + c.sourceY * c.sourcePitch + c.sourceX;
    froe::cuda::Address to = c.targetDevice + c.targetY * c.targetPitch + c.targetX;
    checkRows(from, c.sourcePitch, c.widthBytes, c.height, "copy of rows (source)");
    checkRows(to, c.targetPitch, c.widthBytes, c.height, "copy of rows (target)");
    for (size_t row = 0; row < c.height; ++row)
      std::memcpy(bytes(to + row * c.targetPitch), bytes(from + row * c.sourcePitch), c.widthBytes);
  });
}

DriverResult cuMemsetD8Async(froe::cuda::Address to, unsigned char value, size_t count, Stream stream) {
  return enqueue(stream, [=] {
    checkDevice(to, count, "fill");
    std::memset(bytes(to), value, count);
  });
}

DriverResult cuMemsetD2D8Async(froe::cuda::Address to, size_t pitch, unsigned char value, size_t width, size_t height,
                               Stream stream) {
  if (width > pitch)
    return kInvalidValue;
  return enqueue(stream, [=] {
    checkRows(to, pitch, width, height, "fill of rows");
    for (size_t row = 0; row < height; ++row)
      std::memset(bytes(to + row * pitch), value, width);
  });
}

DriverResult cuStreamCreate(Stream *stream, unsigned) {
  if (!current)
    return kInvalidContext;
  *stream = reinterpret_cast<Stream>(new StreamState);
  froe_double_live("stream", 1);
  return kSuccess;
}

DriverResult cuStreamDestroy_v2(Stream stream) {
  delete of(stream);
  froe_double_live("stream", -1);
  return kSuccess;
}

DriverResult cuStreamSynchronize(Stream stream) {
  if (DriverResult allowed = outsideCapture(stream))
    return allowed;
  of(stream)->synchronize();
  return deviceState();
}

DriverResult cuStreamQuery(Stream stream) {
  if (DriverResult allowed = outsideCapture(stream))
    return allowed;
  return of(stream)->idle() ? deviceState() : kNotReady;
}

DriverResult cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return of(stream)->waitFor(*of(event)) ? kSuccess : kCaptureInvalidated;
}

DriverResult cuEventCreate(Event *event, unsigned) {
  *event = reinterpret_cast<Event>(new EventState);
  froe_double_live("event", 1);
  return kSuccess;
}

DriverResult cuEventRecord(Event event, Stream stream) {
  of(stream)->record(*of(event));
  return kSuccess;
}

DriverResult cuEventQuery(Event event) {
  std::shared_ptr<Recorded> recorded = of(event)->recorded;
  if (!recorded)
    return kSuccess; // as on a GPU: nothing to wait for
  std::lock_guard lock(recorded->mutex);
  return recorded->done ? kSuccess : kNotReady;
}

DriverResult cuEventSynchronize(Event event) {
  if (of(event)->recorded)
    of(event)->recorded->wait();
  return kSuccess;
}

DriverResult cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  std::shared_ptr<Recorded> first = of(begin)->recorded, last = of(end)->recorded;
  if (!first || !last)
    return kInvalidHandle;
  std::scoped_lock lock(first->mutex, last->mutex);
  if (!first->done || !last->done)
    return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  return deviceState();
}

DriverResult cuEventDestroy_v2(Event event) {
  delete of(event);
  froe_double_live("event", -1);
  return kSuccess;
}

DriverResult cuModuleLoadDataEx(Module *module, const void *image, unsigned, int *, void **) {
  auto loaded = std::make_unique<ModuleState>();
  if (DriverResult result = loadModule(*loaded, image))
    return result;
  *module = reinterpret_cast<Module>(loaded.release());
  froe_double_live("module", 1);
  return kSuccess;
}

DriverResult cuModuleUnload(Module module) {
  delete of(module);
  froe_double_live("module", -1);
  return kSuccess;
}

DriverResult cuModuleGetFunction(Function *function, Module module, const char *name) {
  auto found = std::make_unique<FunctionState>();
  if (DriverResult result = findFunction(*found, *of(module), name))
    return result;
  *function = reinterpret_cast<Function>(found.release()); // lives as long as the process, like few other things
  return kSuccess;
}

DriverResult cuFuncSetAttribute(Function, int, int value) { return value <= 227 * 1024 ? kSuccess : kInvalidValue; }

DriverResult cuLaunchKernel(Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                            unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters,
                            void **) {
  Work work;
  const unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  if (DriverResult result = launchWork(work, *of(function), grid, block, sharedBytes, parameters))
    return result;
  return enqueue(stream, std::move(work));
}

DriverResult cuLaunchHostFunc(Stream stream, void (*function)(void *), void *argument) {
  return enqueue(stream, [=] { function(argument); });
}

DriverResult cuStreamBeginCapture_v2(Stream stream, CaptureMode) {
  auto graph = std::make_shared<GraphState>();
  graph->lanes.push_back(of(stream));
  graph->ends.emplace_back();
  of(stream)->capture = graph;
  return kSuccess;
}

DriverResult cuStreamEndCapture(Stream stream, Graph *graph) {
  std::shared_ptr<GraphState> state = of(stream)->capture;
  if (!state || state->lanes.front() != of(stream))
    return kCaptureInvalidated;
  for (StreamState *lane : state->lanes)
    lane->capture = nullptr;
  if (state->invalid)
    return kCaptureInvalidated;
  if (!isJoined(*state))
    alarm("a capture ends while another stream has work that the first one does not wait for");
  *graph = reinterpret_cast<Graph>(new std::shared_ptr<GraphState>(state));
  froe_double_live("graph", 1);
  return kSuccess;
}

DriverResult cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, unsigned long long) {
  *exec = reinterpret_cast<GraphExec>(new std::shared_ptr<GraphState>(*of(graph)));
  froe_double_live("executable graph", 1);
  return kSuccess;
}

DriverResult cuGraphLaunch(GraphExec exec, Stream stream) {
  static std::atomic<uint64_t> launches{0};
  uint64_t seed = uint64_t(setting("FROE_DOUBLE_SEED", 1)) * 100'000 + 100 * launches++;
  return enqueue(stream, [graph = *of(exec), seed] { replay(*graph, seed); });
}

DriverResult cuGraphExecDestroy(GraphExec exec) {
  delete of(exec);
  froe_double_live("executable graph", -1);
  return kSuccess;
}

DriverResult cuGraphDestroy(Graph graph) {
  delete of(graph);
  froe_double_live("graph", -1);
  return kSuccess;
}

} // extern "C"

#define FROE_CHECK_ENTRY(name, parameters)                                                                             \
  static_assert(std::is_same_v<decltype(::name), froe::cuda::types::name>, #name);
FROE_DRIVER_ENTRIES(FROE_CHECK_ENTRY)

// A device behind a plug-in: found, opened, and adapted to the interface of devices.
#include "froe_device.h"
#include "runtime/core/Context.h"
#include "runtime/core/Device.h"
#include "runtime/core/Ports.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

namespace froe::rt {

namespace {

constexpr const char *kPluginVariable = "FROE_CUDA_PLUGIN", *kPluginFile = "libfroe_cuda.so";

std::string besideProgram() {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  std::string_view path(self, length > 0 ? size_t(length) : 0);
  return fmt::format("{}/{}", path.substr(0, path.rfind('/')), kPluginFile);
}

/// From where FROE_CUDA_PLUGIN says (which `froe run` sets to its own one), beside the program, or on the loader's
/// path.
const froe_device_api *loadPlugin(froe_rt &rt) {
  const char *variable = std::getenv(kPluginVariable);
  std::string file = variable ? variable : besideProgram();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library && !variable)
    library = dlopen(kPluginFile, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(rt, 1, fmt::format("this package is for CUDA, and its plug-in cannot be loaded: {}", dlerror()));
  auto *entry = reinterpret_cast<decltype(&froe_device_api_v1)>(dlsym(library, "froe_device_api_v1"));
  const froe_device_api *api = entry ? entry() : nullptr;
  if (!api || api->abi != FROE_DEVICE_ABI_VERSION)
    fail(rt, 1, fmt::format("{}: is not a plug-in of version {}", file, FROE_DEVICE_ABI_VERSION));
  return api;
}

froe_rt &rankOf(void *context) { return *static_cast<froe_rt *>(context); }

const void *hostWeight(void *context, int32_t index, const char **packing) {
  const Weight &weight = rankOf(context).weights[index];
  *packing = weight.packing.c_str();
  return weight.data;
}

void hostFail(void *context, int32_t exitCode, const char *message) {
  froe_rt &rt = rankOf(context);
  rt.control.claimFailure(rt.rank, exitCode, message);
}

void hostFault(void *context, int32_t step, int32_t fault) {
  froe_rt &rt = rankOf(context);
  rt.record->step.store(step + 1, std::memory_order_relaxed);
  hostFail(context, 1, describeFault(rt, step, fault).c_str());
}

void hostHang(void *context, int32_t step, double seconds) {
  froe_rt &rt = rankOf(context);
  std::string message =
      fmt::format("rank {} waited {:.1f} s for {}", rt.rank, seconds, rt.control.describeStep(rt.rank, step));
  for (int rank = 0; rank < rt.mesh.size(); ++rank)
    message += fmt::format("\n  rank {}: {}", rank, rt.control.describeProgress(rank));
  hostFail(context, 4, message.c_str());
}

void hostExchange(void *context, const void *mine, void *all, uint64_t bytes) {
  froe_rt &rt = rankOf(context);
  std::memcpy(rt.control.exchange(rt.rank), mine, bytes);
  rt.transport->barrier();
  for (int rank = 0; rank < rt.mesh.size(); ++rank)
    std::memcpy(static_cast<std::byte *>(all) + uint64_t(rank) * bytes, rt.control.exchange(rank), bytes);
  rt.transport->barrier();
}

froe_device_host hostOf(froe_rt &rt) {
  const ControlHeader &header = rt.control.header();
  froe_device_host host{};
  host.abi = FROE_DEVICE_ABI_VERSION;
  host.program = rt.program;
  host.rank = rt.rank, host.rank_count = rt.mesh.size();
  host.graph = header.graph != 0 && !header.checkCollectives && !isTracing(rt); // those look at each call
  host.trace = isTracing(rt);
  host.timeout_nanoseconds = header.collectiveTimeoutNanoseconds;
  host.context = &rt;
  host.weight = hostWeight;
  host.fail = hostFail;
  host.fault = hostFault;
  host.hang = hostHang;
  host.failed = [](void *context) { return int32_t(rankOf(context).control.failed()); };
  host.ran = [](void *context, int32_t step, int64_t begin, int64_t end) {
    traceStep(rankOf(context), step, begin, end);
  };
  host.exchange = hostExchange;
  return host;
}

/// A group as a plug-in sees it.
struct PluginGroup {
  explicit PluginGroup(const Group &group) : members(group.members.begin(), group.members.end()) {
    value = {group.size(), group.position, members.data()};
  }
  const froe_group *get() const { return &value; }

private:
  std::vector<int32_t> members;
  froe_group value;
};

class PluginDevice final : public Device {
public:
  explicit PluginDevice(froe_rt &rt) : rt(rt), host(hostOf(rt)), api(*loadPlugin(rt)), device(api.open(&host)) {}
  ~PluginDevice() override { api.close(device); }

  std::byte *arena() override { return static_cast<std::byte *>(api.arena(device)); }
  const void *weight(int32_t index) override { return api.weight(device, index); }
  const void *constant(int32_t index) override { return api.constant(device, index); }

  void prepare() override {
    rt.execution = -1;
    api.prepare(device, runProgram, &rt);
    rt.execution = 0;
    rt.record->step.store(0, std::memory_order_relaxed);
  }
  void loadInputs(const std::byte *tensors) override {
    for (int i = 0; i < rt.program->input_count; ++i) {
      const froe_port &port = rt.program->inputs[i];
      loadBlock(port, rt.mesh, rt.rank, tensors + rt.control.place(i).offset, staging(port));
      api.upload(device, port.offset, blockBytes(port, rt.mesh));
    }
  }
  void run() override { api.execute(device, runProgram, &rt); }
  void storeOutputs(std::byte *tensors) override {
    for (int i = 0; i < rt.program->output_count; ++i) {
      const froe_port &port = rt.program->outputs[i];
      staging(port);
      api.download(device, port.offset, blockBytes(port, rt.mesh));
    }
    wait();
    for (int i = 0; i < rt.program->output_count; ++i) {
      const froe_port &port = rt.program->outputs[i];
      storeBlock(port, rt.mesh, rt.rank, staging(port), tensors + rt.control.place(rt.program->input_count + i).offset);
    }
  }

  void wait() override { api.finish(device); }

  void beginStep(int32_t step) override { api.begin_step(device, step); }
  void endStep(int32_t) override { api.end_step(device); }
  void kernel(int32_t, froe_kernel, void *const *, int64_t, int64_t) override {
    fail(rt, 3, fmt::format("{}: a kernel for the CPU in a program for a device", whereIs(rt)));
  }
  void launch(int32_t step, int32_t kernel, int64_t grid, void *const *buffers) override {
    api.launch(device, step, kernel, grid, buffers);
  }
  void matmul(int32_t step, const froe_matmul &matmul, void *const *buffers) override {
    api.matmul(device, step, &matmul, buffers);
  }
  int64_t allReduce(int32_t step, const Group &group, froe_reduce reduce, froe_type type, int64_t count, const void *in,
                    void *out) override {
    return api.all_reduce(device, step, PluginGroup(group).get(), reduce, type, count, in, out);
  }
  int64_t allGather(int32_t step, const Group &group, froe_type type, const Cut &cut, const void *in,
                    void *out) override {
    return api.all_gather(device, step, PluginGroup(group).get(), type, cut.outer, cut.size, cut.inner, in, out);
  }
  int64_t reduceScatter(int32_t step, const Group &group, froe_reduce reduce, froe_type type, const Cut &cut,
                        const void *in, void *out) override {
    return api.reduce_scatter(device, step, PluginGroup(group).get(), reduce, type, cut.outer, cut.size, cut.inner, in,
                              out);
  }
  int64_t allToAll(int32_t step, const Group &group, froe_type type, const Exchange &exchange, const void *in,
                   void *out) override {
    const auto &[gathersFirst, outer, first, middle, second, inner] = exchange;
    return api.all_to_all(device, step, PluginGroup(group).get(), type, gathersFirst, outer, first, middle, second,
                          inner, in, out);
  }
  void waitFor(int32_t step) override { api.wait_for(device, step); }
  void slice(froe_type type, const Cut &cut, const Part &part, const void *in, void *out) override {
    api.slice(device, type, cut.outer, cut.size, part.begin, part.valid, part.block, cut.inner, in, out);
  }
  void mask(froe_type type, const Cut &cut, const Part &part, const void *neutral, const void *in, void *out) override {
    api.mask(device, type, cut.outer, part.block, part.valid, cut.inner, neutral, in, out);
  }

private:
  static void runProgram(void *argument) { rankOf(argument).program->run(&rankOf(argument)); }
  std::byte *staging(const froe_port &port) {
    return static_cast<std::byte *>(api.staging(device, port.offset, blockBytes(port, rt.mesh)));
  }

  froe_rt &rt;
  froe_device_host host;
  const froe_device_api &api;
  froe_device *device;
};

} // namespace

std::unique_ptr<Device> openPlugin(froe_rt &rt) {
  if (rt.program->device != FROE_CUDA)
    fail(rt, 1,
         fmt::format("the program is for a device of kind {}, which this runtime does not know", rt.program->device));
  return std::make_unique<PluginDevice>(rt);
}

} // namespace froe::rt

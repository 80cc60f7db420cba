// The plug-in's table of functions (froe_device.h).
#include "runtime/core/ElementType.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/cuda/Products.h"

#include <cstring>

using namespace froe::cuda;

/// In the order of destruction: libraries' objects before the context.
struct froe_device {
  explicit froe_device(const froe_device_host &host) : gpu(host), products(gpu), collectives(gpu) {}
  ~froe_device() { gpu.forget(); } // graphs go before the communicators in them

  Gpu gpu;
  Products products;
  Collectives collectives;
};

namespace {

Address address(const void *pointer) { return reinterpret_cast<Address>(pointer); }
void *pointer(Address address) { return reinterpret_cast<void *>(address); }

void slice(froe_device *device, int32_t type, int64_t outer, int64_t size, int64_t begin, int64_t valid, int64_t block,
           int64_t inner, const void *in, void *out) {
  Gpu &gpu = device->gpu;
  int64_t row = inner * froe::rt::elementType(type).bytes;
  gpu.copyRows({address(out), size_t(block * row)}, {address(in) + Address(begin * row), size_t(size * row)},
               size_t(valid * row), size_t(outer), gpu.compute);
  gpu.clearRows({address(out) + Address(valid * row), size_t(block * row)}, size_t((block - valid) * row),
                size_t(outer), gpu.compute);
}

void mask(froe_device *device, int32_t type, int64_t outer, int64_t block, int64_t valid, int64_t inner,
          const void *neutral, const void *in, void *out) {
  Gpu &gpu = device->gpu;
  int64_t bytes = froe::rt::elementType(type).bytes, row = inner * bytes;
  gpu.copyRows({address(out), size_t(block * row)}, {address(in), size_t(block * row)}, size_t(valid * row),
               size_t(outer), gpu.compute);
  FillArguments fill{address(out) + Address(valid * row), outer, block * inner, (block - valid) * inner, bytes, 0};
  std::memcpy(&fill.value, neutral, size_t(bytes));
  gpu.launchBuiltIn(BuiltIn::Fill, &fill, sizeof fill, outer * (block - valid) * inner, gpu.compute);
}

froe_device_api makeApi() {
  froe_device_api api{};
  api.abi = FROE_DEVICE_ABI_VERSION;
  api.open = [](const froe_device_host *host) { return new froe_device(*host); };
  api.close = [](froe_device *device) { delete device; };
  api.arena = [](froe_device *device) { return pointer(device->gpu.arena()); };
  api.weight = [](froe_device *device, int32_t index) -> const void * { return pointer(device->gpu.weight(index)); };
  api.constant = [](froe_device *device, int32_t index) -> const void * {
    return pointer(device->gpu.constant(index));
  };
  api.prepare = [](froe_device *device, void (*run)(void *), void *argument) { device->gpu.prepare(run, argument); };
  api.execute = [](froe_device *device, void (*run)(void *), void *argument) { device->gpu.execute(run, argument); };
  api.finish = [](froe_device *device) { device->gpu.finish(); };
  api.staging = [](froe_device *device, uint64_t offset, uint64_t bytes) { return device->gpu.staging(offset, bytes); };
  api.upload = [](froe_device *device, uint64_t offset, uint64_t bytes) { device->gpu.upload(offset, bytes); };
  api.download = [](froe_device *device, uint64_t offset, uint64_t bytes) { device->gpu.download(offset, bytes); };
  api.begin_step = [](froe_device *device, int32_t step) { device->gpu.beginStep(step); };
  api.end_step = [](froe_device *device) { device->gpu.endStep(); };
  api.launch = [](froe_device *device, int32_t step, int32_t kernel, int64_t grid, void *const *buffers) {
    device->gpu.launch(step, kernel, grid, buffers);
  };
  api.matmul = [](froe_device *device, int32_t step, const froe_matmul *matmul, void *const *buffers) {
    device->products.multiply(step, *matmul, buffers);
  };
  api.all_reduce = [](froe_device *device, int32_t step, const froe_group *group, int32_t reduce, int32_t type,
                      int64_t count, const void *in, void *out) {
    return device->collectives.allReduce(step, *group, froe_reduce(reduce), froe_type(type), count, address(in),
                                         address(out));
  };
  api.all_gather = [](froe_device *device, int32_t step, const froe_group *group, int32_t type, int64_t outer,
                      int64_t size, int64_t inner, const void *in, void *out) {
    return device->collectives.allGather(step, *group, froe_type(type), outer, size, inner, address(in), address(out));
  };
  api.reduce_scatter = [](froe_device *device, int32_t step, const froe_group *group, int32_t reduce, int32_t type,
                          int64_t outer, int64_t size, int64_t inner, const void *in, void *out) {
    return device->collectives.reduceScatter(step, *group, froe_reduce(reduce), froe_type(type), outer, size, inner,
                                             address(in), address(out));
  };
  api.all_to_all = [](froe_device *device, int32_t step, const froe_group *group, int32_t type, int32_t gathersFirst,
                      int64_t outer, int64_t first, int64_t middle, int64_t second, int64_t inner, const void *in,
                      void *out) {
    return device->collectives.allToAll(step, *group, froe_type(type), gathersFirst != 0, outer, first, middle, second,
                                        inner, address(in), address(out));
  };
  api.wait_for = [](froe_device *device, int32_t step) { device->gpu.waitFor(step); };
  api.slice = slice;
  api.mask = mask;
  return api;
}

} // namespace

extern "C" [[gnu::visibility("default")]] const froe_device_api *froe_device_api_v1() {
  static const froe_device_api api = makeApi();
  return &api;
}

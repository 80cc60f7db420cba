// From nothing to a device with the program's weights in it: everything that can be missing is found here.
#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

asm(".section .rodata\n.globl froe_builtin_ptx\n.hidden froe_builtin_ptx\nfroe_builtin_ptx:\n"
    ".incbin \"" FROE_BUILTIN_PTX "\"\n.byte 0\n.previous\n");
extern "C" const char froe_builtin_ptx[];

namespace froe::cuda {

namespace {

constexpr int kOldestDriver = 12000;
constexpr size_t kAlignment = 256, kPieceBytes = 32 << 20;

double gibibytes(size_t bytes) { return double(bytes) / double(1 << 30); }

std::string describe(const DriverLibrary &driver, DriverResult result) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  return fmt::format("{} ({}: {})", int(result), name ? name : "?", text ? text : "?");
}

/// The image for this device: its own architecture, a cubin of the same major version and an older minor one, or PTX
/// that is not newer; null if there is none.
const froe_image *chooseImage(const froe_program &program, int arch) {
  const froe_image *best = nullptr;
  int bestRank = -1;
  for (const froe_image *image = program.images; image != program.images + program.image_count; ++image) {
    bool ptx = std::strncmp(image->arch, "compute_", 8) == 0;
    int made = std::atoi(image->arch + (ptx ? 8 : 3));
    bool runs = ptx ? made <= arch : made / 10 == arch / 10 && made <= arch;
    int rank = (ptx ? 0 : 1000) + made; // the newest cubin, else the newest PTX
    if (runs && rank > bestRank)
      best = image, bestRank = rank;
  }
  return best;
}

std::string archsOf(const froe_program &program) {
  std::vector<std::string> archs;
  for (int32_t i = 0; i < program.image_count; ++i)
    archs.push_back(program.images[i].arch);
  return fmt::format("{}", fmt::join(archs, ", "));
}

} // namespace

void Gpu::fail(int exitCode, const std::string &message) const {
  host.fail(host.context, exitCode, message.c_str());
  std::abort(); // fail does not return
}

void Gpu::check(DriverResult result, const char *what) const {
  if (result != kSuccess)
    fail(4, fmt::format("rank {}: {}: CUDA error {}", host.rank, what, describe(driver, result)));
}

Gpu::Gpu(const froe_device_host &host) : host(host) {
  auto loaded = loadDriver();
  if (!loaded)
    fail(1, loaded.error());
  driver = *loaded;
  open();
  loadKernels();
  makeMemory();
}

int Gpu::chooseDevice() {
  int version = 0, count = 0;
  DriverResult result = driver.cuInit(0);
  if (result == kStubLibrary)
    fail(1, "libcuda.so.1 is the toolkit's stub, not a driver: install the NVIDIA driver, or take the stub's folder "
            "out of LD_LIBRARY_PATH");
  if (result == kNoDevice)
    fail(1, "this machine has no NVIDIA GPU that the driver can use");
  if (result != kSuccess)
    fail(1, fmt::format("the NVIDIA driver does not start: error {}", describe(driver, result)));
  check(driver.cuDriverGetVersion(&version), "reading the driver's version");
  if (version < kOldestDriver)
    fail(1, fmt::format("the NVIDIA driver supports CUDA {}.{}, {}.{} or newer is needed", version / 1000,
                        version % 1000 / 10, kOldestDriver / 1000, kOldestDriver % 1000 / 10));
  check(driver.cuDeviceGetCount(&count), "counting GPUs");
  if (count < host.rank_count)
    fail(1, fmt::format("{} ranks need {} GPUs, this machine has {}", host.rank_count, host.rank_count, count));
  check(driver.cuDeviceGet(&device, host.rank), "choosing a GPU");
  return device;
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
  for (Event *event : {&ready, &done})
    check(driver.cuEventCreate(event, kEventDisableTiming), "making an event");
}

void Gpu::loadKernels() {
  const froe_program &program = *host.program;
  auto load = [&](Module &module, const void *image, const std::string &what) {
    DriverResult result = driver.cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr);
    if (result == kUnsupportedPtxVersion)
      fail(1, fmt::format("the NVIDIA driver is too old for {}: install a newer one", what));
    if (result != kSuccess)
      fail(1, fmt::format("the GPU does not accept {}: error {}", what, describe(driver, result)));
  };
  auto find = [&](Module module, const char *name) {
    Function function = nullptr;
    DriverResult result = driver.cuModuleGetFunction(&function, module, name);
    if (result != kSuccess)
      fail(3, fmt::format("kernel '{}' is missing in its image: error {}", name, describe(driver, result)));
    return function;
  };
  load(builtIns, froe_builtin_ptx, "the runtime's own kernels");
  const char *names[] = {"froe_builtin_reduce", "froe_builtin_fill", "froe_builtin_matmul"};
  std::ranges::transform(names, builtIn, [&](const char *name) { return find(builtIns, name); });
  if (program.kernel_count == 0)
    return;
  const froe_image *image = chooseImage(program, arch);
  if (!image)
    fail(1, fmt::format("the GPU is sm_{}, the package has kernels for {}: compile it with --target cuda:sm_{}", arch,
                        archsOf(program), arch));
  load(module, image->data, fmt::format("the package's kernels ({})", image->arch));
  for (int32_t i = 0; i < program.kernel_count; ++i) {
    const froe_device_kernel &kernel = program.kernels[i];
    kernels.push_back(find(module, kernel.name));
    if (kernel.shared_bytes > 48 << 10)
      check(driver.cuFuncSetAttribute(kernels.back(), kMaxDynamicSharedBytes, kernel.shared_bytes),
            "reserving shared memory");
  }
}

/// Where parts go one behind the other, counted from 0; `total` becomes the end.
std::vector<Address> Gpu::place(size_t &total, const std::vector<std::pair<const void *, uint64_t>> &parts) {
  std::vector<Address> places;
  for (auto [data, bytes] : parts) {
    places.push_back(total);
    total = (total + bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return places;
}

void Gpu::requireFree(size_t bytes) {
  size_t available = 0, total = 0;
  check(driver.cuMemGetInfo_v2(&available, &total), "asking for free memory");
  if (bytes > available)
    fail(1, fmt::format("rank {} needs {:.2f} GiB of its GPU's memory ({} bytes), {:.2f} GiB are free ({} bytes of {})",
                        host.rank, gibibytes(bytes), bytes, gibibytes(available), available, total));
}

Address Gpu::allocate(size_t bytes, const char *what) {
  Address address = 0;
  if (bytes == 0)
    return 0;
  if (DriverResult result = driver.cuMemAlloc_v2(&address, bytes); result == kOutOfMemory)
    requireFree(SIZE_MAX);
  else
    check(result, what);
  allocations.push_back(address);
  return address;
}

void Gpu::makeMemory() {
  const froe_program &program = *host.program;
  std::vector<std::pair<const void *, uint64_t>> weights, constants;
  for (int32_t i = 0; i < program.weight_count; ++i) {
    const char *packing = nullptr;
    const void *data = host.weight(host.context, i, &packing);
    if (std::strcmp(packing, "plain") != 0)
      fail(1, fmt::format("weight '{}' is packed for a CPU ('{}'): compile the model again", program.weights[i].name,
                          packing));
    weights.push_back({data, program.weights[i].bytes});
  }
  for (int32_t i = 0; i < program.constant_count; ++i)
    constants.push_back({program.constants[i].data, program.constants[i].bytes});
  size_t total = 0;
  weightPlaces = place(total, weights);
  constantPlaces = place(total, constants);
  size_t wordBytes = (size_t(program.step_count) + 1) * sizeof(uint32_t);
  requireFree(program.arena_bytes + total + wordBytes);
  arenaMemory = allocate(program.arena_bytes, "allocating the arena");
  constantMemory = allocate(total, "allocating memory for weights");
  words = allocate(wordBytes, "allocating memory for faults");
  for (Address &address : weightPlaces)
    address += constantMemory;
  for (Address &address : constantPlaces)
    address += constantMemory;
  void *pinned = nullptr;
  check(driver.cuMemHostAlloc(&pinned, wordBytes, kHostAllocPortable), "allocating pinned memory");
  faults = static_cast<uint32_t *>(pinned);
  std::memset(faults, 0, wordBytes);
  uploadParts(weights, weightPlaces);
  uploadParts(constants, constantPlaces);
}

/// Through two pinned pieces: one is filled (from a mapped file, which is read then) while the other is copied.
void Gpu::uploadParts(const std::vector<std::pair<const void *, uint64_t>> &parts, const std::vector<Address> &places) {
  size_t largest = 0;
  for (auto [data, bytes] : parts)
    largest = std::max(largest, size_t(bytes));
  if (largest == 0)
    return;
  size_t pieceBytes = std::min(largest, kPieceBytes);
  void *pieces[2];
  Event copied[2];
  for (int i = 0; i < 2; ++i) {
    check(driver.cuMemHostAlloc(&pieces[i], pieceBytes, kHostAllocPortable), "allocating pinned memory");
    check(driver.cuEventCreate(&copied[i], kEventDisableTiming), "making an event");
  }
  int turn = 0;
  for (size_t part = 0; part < parts.size(); ++part)
    for (size_t begin = 0; begin < parts[part].second; begin += pieceBytes, turn ^= 1) {
      size_t bytes = std::min(pieceBytes, size_t(parts[part].second) - begin);
      check(driver.cuEventSynchronize(copied[turn]), "copying weights");
      std::memcpy(pieces[turn], static_cast<const std::byte *>(parts[part].first) + begin, bytes);
      check(driver.cuMemcpyHtoDAsync_v2(places[part] + begin, pieces[turn], bytes, side), "copying weights");
      check(driver.cuEventRecord(copied[turn], side), "copying weights");
    }
  check(driver.cuStreamSynchronize(side), "copying weights");
  for (int i = 0; i < 2; ++i) {
    driver.cuMemFreeHost(pieces[i]);
    driver.cuEventDestroy_v2(copied[i]);
  }
}

void Gpu::forget() {
  if (graph)
    driver.cuGraphExecDestroy(graph);
  graph = nullptr;
}

Gpu::~Gpu() {
  forget();
  for (Stream stream : {compute, communication, side})
    driver.cuStreamDestroy_v2(stream);
  for (Event event : {ready, done})
    driver.cuEventDestroy_v2(event);
  for (auto [key, memory] : stagings)
    driver.cuMemFreeHost(memory);
  driver.cuMemFreeHost(faults);
  for (Address address : allocations)
    driver.cuMemFree_v2(address);
  for (Module loaded : {module, builtIns})
    if (loaded)
      driver.cuModuleUnload(loaded);
  driver.cuDevicePrimaryCtxRelease_v2(device);
}

} // namespace froe::cuda

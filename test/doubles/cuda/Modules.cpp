#include "test/doubles/cuda/Double.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

// The emulation of blocks, where it is linked in: runs one function per thread of a block.
extern "C" [[gnu::weak]] int simt_launch(const char *name, void (*thread)(void **), void **parameters, unsigned grid[3],
                                         unsigned block[3], char *error, size_t errorBytes);

namespace froe::doubles {

namespace {

constexpr uint16_t kCudaMachine = 190; // EM_CUDA

/// An image that is a shared object of this machine is its own twin.
void *openImage(const void *image, size_t bytes) {
  int file = memfd_create("twin", MFD_CLOEXEC);
  for (size_t written = 0; written < bytes;) {
    ssize_t count = write(file, static_cast<const char *>(image) + written, bytes - written);
    if (count <= 0)
      return nullptr;
    written += size_t(count);
  }
  void *twin = dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  return twin;
}

/// Twins call back into the emulation of blocks, which is in this library: its symbols become global. Beside it lie the
/// twins of the runtime's own kernels.
void *openBuiltIns() {
  Dl_info self{};
  dladdr(reinterpret_cast<void *>(&openImage), &self);
  dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  std::string_view path(self.dli_fname);
  size_t folder = path.rfind('/');
  return dlopen(fmt::format("{}froe_builtin.twin.so", path.substr(0, folder == path.npos ? 0 : folder + 1)).c_str(),
                RTLD_NOW | RTLD_LOCAL);
}

std::vector<void *> openTwins() {
  std::vector<void *> twins;
  if (void *builtIns = openBuiltIns())
    twins.push_back(builtIns);
  const char *setting = std::getenv("FROE_DOUBLE_TWINS");
  std::stringstream list(setting ? setting : "");
  for (std::string file; std::getline(list, file, ':');) {
    twins.push_back(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!twins.back())
      alarm(fmt::format("FROE_DOUBLE_TWINS: {}", dlerror()));
  }
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  std::string_view path(self, length > 0 ? size_t(length) : 0);
  std::string beside = fmt::format("{}/kernels.twin.so", path.substr(0, path.rfind('/')));
  if (access(beside.c_str(), R_OK) == 0)
    if (void *twin = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL))
      twins.push_back(twin);
  return twins;
}

size_t elfBytes(const Elf64_Ehdr &header) {
  auto *base = reinterpret_cast<const std::byte *>(&header);
  size_t end = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
  for (int i = 0; i < header.e_shnum; ++i) {
    auto *section = reinterpret_cast<const Elf64_Shdr *>(base + header.e_shoff + size_t(i) * header.e_shentsize);
    if (section->sh_type != SHT_NOBITS)
      end = std::max(end, size_t(section->sh_offset + section->sh_size));
  }
  return end;
}

DriverResult loadElf(ModuleState &module, const Elf64_Ehdr &header) {
  size_t bytes = elfBytes(header);
  module.image.assign(reinterpret_cast<const char *>(&header), bytes);
  if (header.e_machine == EM_X86_64)
    return (module.twin = openImage(&header, bytes)) ? kSuccess : kInvalidImage;
  if (header.e_machine != kCudaMachine)
    return kInvalidImage;
  auto arch = unsigned(setting("FROE_DOUBLE_ARCH", 80)); // the flags hold it in one of two places, by version
  return (header.e_flags & 0xff) == arch || (header.e_flags >> 8 & 0xff) == arch ? kSuccess : kNoBinaryForGpu;
}

template <class T> T *symbol(void *twin, const std::string &name) {
  return reinterpret_cast<T *>(twin ? dlsym(twin, name.c_str()) : nullptr);
}

bool takeTwin(FunctionState &function, void *twin) {
  function.whole = symbol<void(void **, uint32_t, uint32_t)>(twin, function.name + "_grid");
  function.thread = symbol<void(void **)>(twin, function.name);
  auto *shape = symbol<const int32_t>(twin, function.name + "_twin");
  if (!shape || (!function.whole && !function.thread))
    return false;
  function.parameters = shape[0], function.block = shape[1], function.grid = shape[2], function.sharedBytes = shape[3];
  return true;
}

bool names(const std::string &image, const std::string &name) {
  bool text = image.find(".entry") != std::string::npos && !image.starts_with(ELFMAG);
  return text ? image.find(fmt::format(".entry {}(", name)) != std::string::npos
              : image.find(name) != std::string::npos;
}

/// A thread of a stream runs this; the parameters are 8 bytes each.
void run(const FunctionState &function, std::vector<uint64_t> values, unsigned grid, unsigned block) {
  std::vector<void *> parameters;
  for (size_t i = 0; i < values.size(); ++i) {
    checkNotFreed(values[i], fmt::format("parameter {} of kernel '{}'", i, function.name));
    parameters.push_back(&values[i]);
  }
  const char *faulty = std::getenv("FROE_DOUBLE_FAULT");
  if (faulty && function.name == faulty)
    return breakDown();
  if (function.whole)
    return function.whole(parameters.data(), grid, block);
  if (!simt_launch)
    alarm(fmt::format("kernel '{}' is for one thread, and nothing here emulates blocks", function.name));
  static std::mutex mutex; // the emulation has one device's state
  std::lock_guard lock(mutex);
  unsigned grids[] = {grid, 1, 1}, blocks[] = {block, 1, 1};
  char error[1024] = "";
  if (simt_launch(function.name.c_str(), function.thread, parameters.data(), grids, blocks, error, sizeof error) != 0)
    alarm(fmt::format("kernel '{}': {}", function.name, error));
}

} // namespace

DriverResult loadModule(ModuleState &module, const void *image) {
  bool isBinary = std::memcmp(image, ELFMAG, SELFMAG) == 0;
  if (int64_t refused = setting(isBinary ? "FROE_DOUBLE_BINARIES" : "FROE_DOUBLE_PTX", kSuccess))
    return DriverResult(refused);
  if (isBinary)
    return loadElf(module, *static_cast<const Elf64_Ehdr *>(image));
  module.image = static_cast<const char *>(image);
  return module.image.find(".target sm_") != std::string::npos ? kSuccess : kInvalidImage;
}

DriverResult findFunction(FunctionState &function, const ModuleState &module, const char *name) {
  function.name = name;
  if (!names(module.image, name))
    return kNotFound;
  static const std::vector<void *> twins = openTwins();
  if (module.twin && takeTwin(function, module.twin))
    return kSuccess;
  for (void *twin : twins)
    if (takeTwin(function, twin))
      return kSuccess;
  alarm(fmt::format("kernel '{}' has no twin ('{}' or '{}_grid', with '{}_twin') in FROE_DOUBLE_TWINS or "
                    "kernels.twin.so",
                    name, name, name, name));
}

DriverResult launchWork(Work &work, const FunctionState &function, const unsigned grid[3], const unsigned block[3],
                        unsigned sharedBytes, void **parameters) {
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (threads == 0 || threads > 1024 || block[0] > 1024 || block[2] > 64 || grid[0] == 0 || grid[0] > 0x7fffffffu ||
      grid[1] == 0 || grid[1] > 65535 || grid[2] == 0 || grid[2] > 65535 || sharedBytes > 227 * 1024)
    return kInvalidValue;
  if (grid[1] * grid[2] * block[1] * block[2] != 1)
    alarm(fmt::format("kernel '{}': launched in more than one dimension", function.name));
  if (function.block != 0 && block[0] != unsigned(function.block))
    alarm(fmt::format("kernel '{}': launched with blocks of {} threads, made for {}", function.name, block[0],
                      function.block));
  if (function.grid != 0 && grid[0] != unsigned(function.grid))
    alarm(fmt::format("kernel '{}': launched with {} blocks, made for {}", function.name, grid[0], function.grid));
  if (sharedBytes < unsigned(function.sharedBytes))
    alarm(fmt::format("kernel '{}': launched with {} bytes of shared memory, needs {}", function.name, sharedBytes,
                      function.sharedBytes));
  std::vector<uint64_t> values;
  for (int32_t i = 0; i < function.parameters; ++i)
    std::memcpy(&values.emplace_back(), parameters[i], sizeof(uint64_t));
  work = [function, values, grid = grid[0], block = block[0]] { run(function, values, grid, block); };
  return kSuccess;
}

} // namespace froe::doubles

#include "runtime/cuda/Libraries.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

namespace froe::cuda {

namespace {

std::expected<void *, std::string> open(const char *variable, std::initializer_list<const char *> files) {
  if (const char *file = std::getenv(variable)) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return library ? std::expected<void *, std::string>(library)
                   : std::unexpected(fmt::format("{}: {}", variable, dlerror()));
  }
  std::string error;
  for (const char *file : files) {
    if (void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL))
      return library;
    if (error.empty())
      error = dlerror();
  }
  return std::unexpected(error);
}

template <class Function> bool find(void *library, const char *name, Function *&function) {
  return (function = reinterpret_cast<Function *>(dlsym(library, name)));
}

template <class Function> void find(void *library, const char *name, Function *&function, std::string &missing) {
  if (!find(library, name, function))
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
}

} // namespace

#define FROE_FIND(name, parameters) find(*library, #name, table.name, missing);
#define FROE_FIND_OPTIONAL(name, parameters) find(*library, #name, table.name);

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::expected<DriverLibrary, std::string> loadDriver() {
  auto library = open("FROE_LIBCUDA", {"libcuda.so.1"});
  if (!library)
    return std::unexpected(fmt::format("no NVIDIA driver is installed ({})", library.error()));
  DriverLibrary table;
  std::string missing;
  FROE_DRIVER_ENTRIES(FROE_FIND)
  if (!missing.empty())
    return std::unexpected(fmt::format("the NVIDIA driver is too old: it lacks {}", missing));
  return table;
}

std::expected<NcclLibrary, std::string> loadNccl() {
  auto library = open("FROE_LIBNCCL", {"libnccl.so.2"});
  if (!library)
    return std::unexpected(fmt::format("several GPUs need NCCL, which cannot be loaded ({})", library.error()));
  NcclLibrary table;
  std::string missing;
  FROE_NCCL_ENTRIES(FROE_FIND)
  FROE_NCCL_TEXT_ENTRIES(FROE_FIND)
  FROE_NCCL_MEMORY_ENTRIES(FROE_FIND_OPTIONAL)
  if (!missing.empty())
    return std::unexpected(fmt::format("NCCL is too old: it lacks {} (expected 2.18 or newer)", missing));
  return table;
}

std::expected<CublasLtLibrary, std::string> loadCublasLt() {
  auto library = open("FROE_LIBCUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"});
  if (!library)
    return std::unexpected(fmt::format("cuBLASLt cannot be loaded ({})", library.error()));
  CublasLtLibrary table;
  std::string missing;
  FROE_CUBLASLT_ENTRIES(FROE_FIND)
  if (!missing.empty())
    return std::unexpected(fmt::format("cuBLASLt lacks {}", missing));
  return table;
}

} // namespace froe::cuda

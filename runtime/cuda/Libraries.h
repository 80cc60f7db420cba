// NVIDIA's libraries as tables of functions, found at run time.
#pragma once

#include "runtime/cuda/Entries.h"

#include <expected>
#include <optional>
#include <string>

namespace froe::cuda {

#define FROE_MEMBER(name, parameters) types::name *name = nullptr;
struct DriverLibrary {
  FROE_DRIVER_ENTRIES(FROE_MEMBER)
};
struct NcclLibrary {
  FROE_NCCL_ENTRIES(FROE_MEMBER)
  FROE_NCCL_TEXT_ENTRIES(FROE_MEMBER)
  FROE_NCCL_MEMORY_ENTRIES(FROE_MEMBER) // null where the library lacks them

  bool registersMemory() const { return ncclMemAlloc && ncclMemFree && ncclCommRegister && ncclCommDeregister; }
};
struct CublasLtLibrary {
  FROE_CUBLASLT_ENTRIES(FROE_MEMBER)
};
#undef FROE_MEMBER

/// By the loader's path, or the file that FROE_LIBCUDA, FROE_LIBNCCL or FROE_LIBCUBLASLT names. An error says what is
/// missing and which file was looked for.
std::expected<DriverLibrary, std::string> loadDriver();
/// Of the driver's number for CUDA: "13.0".
std::string versionText(int version);
std::expected<NcclLibrary, std::string> loadNccl();
std::expected<CublasLtLibrary, std::string> loadCublasLt();

} // namespace froe::cuda

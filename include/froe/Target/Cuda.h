#pragma once

#include <expected>
#include <string>

namespace froe {

/// What of NVIDIA's toolkit making CUDA programs needs.
struct CudaToolkit {
  std::string ptxas;     ///< the assembler
  std::string libdevice; ///< libdevice.10.bc: mathematical functions as LLVM bitcode
};

/// The first complete one of: the folders that the environment names (CUDA_HOME, CUDA_PATH, CUDA_ROOT), the one whose
/// `bin/ptxas` is on the PATH, /usr/local/cuda, and the Python packages of a `.venv` above the running executable
/// (scripts/install.sh). The error says what to install.
std::expected<CudaToolkit, std::string> findCudaToolkit();

} // namespace froe

#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <string>
#include <vector>

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

/// Lowers the GPU modules of `module` (kernels-to-gpu) to the NVVM dialect, for every architecture alike.
std::expected<void, std::string> lowerGpuModules(mlir::ModuleOp module);

/// PTX of a lowered GPU module for `arch` (`sm_80`), optimised by LLVM. Functions that `libdevice` defines are linked
/// in.
std::expected<std::string, std::string> writePtx(mlir::gpu::GPUModuleOp kernels, const std::string &arch,
                                                 const std::string &libdevice);

/// What a kernel takes of a multiprocessor, as ptxas reports it.
struct KernelUse {
  std::string name;
  int64_t registers = 0; ///< per thread
  int64_t sharedBytes = 0, localBytes = 0, spillBytes = 0;
};
/// Reads the output of `ptxas -v`.
std::vector<KernelUse> readKernelUse(const std::string &report);

struct Cubin {
  std::string bytes;
  std::vector<KernelUse> kernels;
};
/// Assembles PTX for one architecture; the error holds the assembler's messages.
std::expected<Cubin, std::string> assemble(const std::string &ptx, const std::string &arch, const CudaToolkit &toolkit);

} // namespace froe

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

/// Whether LLVM writes and the toolkit assembles code for these; the error names the first one that is unknown.
std::expected<void, std::string> checkArchs(const std::vector<std::string> &archs, const CudaToolkit &toolkit);

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

/// `gpu.module @kernels` (kernels-to-gpu) becomes `gpu.binary @kernels` (froe/Conversion/GpuObjects.h): PTX for each
/// architecture. A module without kernels stays as it is.
std::expected<void, std::string> writeGpuText(mlir::ModuleOp module, const std::vector<std::string> &archs,
                                              const CudaToolkit &toolkit);
/// Assembles what `writeGpuText` made. The PTX of the newest architecture stays behind the cubins, for newer devices.
std::expected<void, std::string> assembleGpuText(mlir::ModuleOp module, const CudaToolkit &toolkit);

} // namespace froe

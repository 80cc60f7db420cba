// `gpu.binary @kernels [...]`: the kernels of a program as text or machine code, one object for each architecture. Each
// holds a table of the kernels: how they are launched, and by their function type how many buffers they take.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace froe {

/// Symbol of the kernels' gpu.module, and of the gpu.binary that it becomes.
inline constexpr llvm::StringLiteral kGpuKernels = "kernels";
/// Metadata of a kernel: blocks, threads of a block, bytes of dynamic shared memory.
inline constexpr llvm::StringLiteral kGrid = "grid", kBlock = "block", kSharedBytes = "shared_bytes";

/// How a kernel is launched, in x.
struct KernelLaunch {
  int32_t grid = 0, block = 0, sharedBytes = 0;
};
KernelLaunch launchOf(mlir::gpu::GPUFuncOp kernel);

inline bool isText(mlir::gpu::ObjectAttr object) {
  return object.getFormat() == mlir::gpu::CompilationTarget::Assembly;
}
/// `sm_80`.
inline llvm::StringRef chipOf(mlir::gpu::ObjectAttr object) {
  return llvm::cast<mlir::NVVM::NVVMTargetAttr>(object.getTarget()).getChip();
}

} // namespace froe

// Code of one kernel for GPUs.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace froe {

/// Builds `gpu.func @k(operand or result..., fault)` in `module`: pointers to global memory, the last one to a word
/// into which faults are or-ed. The sizes of block and grid are attributes of the function. Fails with an error where
/// the kernel states no domain.
mlir::FailureOr<mlir::gpu::GPUFuncOp> emitGpuKernel(mlir::func::FuncOp kernel, mlir::gpu::GPUModuleOp module);

} // namespace froe

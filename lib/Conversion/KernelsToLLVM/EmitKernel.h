// Code of one kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace froe {

/// Two functions in place of `kernel`, which is erased:
///
///   internal i32 @k.body(ptr noalias operand or result..., i64 begin, i64 end)    // the loops
///   i32 @k(ptr buffers, i64 begin, i64 end)                                       // froe_kernel of froe_rt.h
///
/// The body still holds scf, arith and math ops. Fails with an error where the kernel states no domain.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp> emitKernel(mlir::func::FuncOp kernel);

} // namespace froe

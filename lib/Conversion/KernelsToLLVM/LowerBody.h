#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace froe {

/// Lowers the scf, cf, arith and math ops of a function of the LLVM dialect for a processor.
mlir::LogicalResult lowerBody(mlir::LLVM::LLVMFuncOp function);

} // namespace froe

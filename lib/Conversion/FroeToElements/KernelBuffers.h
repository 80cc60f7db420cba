// Where a kernel's operands come from and where its results go.
#pragma once

#include "dialects/Froe/KernelDomain.h"
#include "lib/Conversion/FroeToElements/Elements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

/// A result of a kernel: the value whose elements it has (behind reshapes of the whole), and where they go.
struct KernelResult {
  mlir::Value value;
  mlir::Value pointer;
};

/// From now on elements of the kernel's operands come from memory; `pointers` are those of operands, then results.
llvm::SmallVector<KernelResult> declareBuffers(mlir::func::FuncOp kernel, const KernelDomain &domain,
                                               Elements &elements, mlir::ValueRange pointers);

/// Whether a value has an element for each point of the domain.
bool isFull(mlir::Value value, const KernelDomain &domain);

} // namespace froe

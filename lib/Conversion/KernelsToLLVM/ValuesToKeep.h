// Which elements a kernel computes once a row and keeps, because several loops over the row need them.
#pragma once

#include "dialects/Froe/KernelDomain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

llvm::SetVector<mlir::Value> findValuesToKeep(mlir::func::FuncOp kernel, const KernelDomain &domain);

} // namespace froe

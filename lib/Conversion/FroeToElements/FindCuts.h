#pragma once

#include "dialects/Froe/KernelDomain.h"

#include "mlir/IR/ValueRange.h"

namespace froe {

/// Where loops over the domain's innermost dim should be cut so that concatenations and padding of it are decided
/// outside of them, if these are few.
llvm::SmallVector<int64_t> findCuts(mlir::ValueRange tensors, const KernelDomain &domain);

} // namespace froe

// Which elements a reduction combines.
#pragma once

#include "dialects/Froe/KernelDomain.h"
#include "lib/Conversion/FroeToElements/Elements.h"

namespace froe {

/// Whether each row of the domain becomes one element; else the domain is the result's shape.
bool reducesRows(ReduceOp op, const KernelDomain &domain);

/// Sizes of the dims that vanish, in the operand's order.
llvm::SmallVector<int64_t> reducedSizes(ReduceOp op);

/// Indices of the operand, from those of the dims that stay and those that vanish.
llvm::SmallVector<mlir::Value> operandIndices(ReduceOp op, Indices kept, Indices reduced);

} // namespace froe

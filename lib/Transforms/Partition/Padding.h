#pragma once

#include "froe/Sharding/Rule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace froe {

/// The element that leaves others unchanged: 0 for sum, -infinity (of integers the smallest) for max, ...
mlir::TypedAttr neutralElement(ReduceKind kind, mlir::Type elementType);

/// What padding along a dim of an operand must hold before the op may read it; null where it may hold anything.
///
/// Padding must not reach a result: operands of a reduction over the dim hold the neutral element there (both operands
/// of a product hold 0, since 0 x NaN is NaN). Nor may it raise an error: indices are 0, integer divisors 1.
mlir::TypedAttr paddingFor(mlir::Operation *op, const Rule &rule, unsigned operand, unsigned dim);

} // namespace froe

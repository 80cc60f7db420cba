#pragma once

#include "froe/Sharding/Rule.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace froe {

/// What the padding of an operand must be before the op reads it, where the dim is cut unevenly: the neutral element of
/// this kind, so that it changes no valid result and faults nowhere; nothing where it cannot do harm.
std::optional<ReduceKind> paddingKind(mlir::Operation *op, const Rule &rule, unsigned operand, unsigned dim);

} // namespace froe

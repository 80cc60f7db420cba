// What constants say of themselves, for whoever treats one number otherwise than a table of numbers.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/APFloat.h"

#include <optional>

namespace froe {

/// The number that every element of a float tensor is, where it is a constant of one number (`ConstantOp::isSplat`)
/// behind any broadcasts and reshapes; nullopt otherwise.
std::optional<llvm::APFloat> numberOf(mlir::Value value);

} // namespace froe

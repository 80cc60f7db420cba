#pragma once

#include "llvm/ADT/StringRef.h"

namespace froe {

/// Attribute of @main's arguments, an array of strings: what the model calls the dims (`batch`, `sequence`); empty
/// where it does not say. Plans name dims by it; nothing else depends on it.
inline constexpr llvm::StringLiteral kDimNames = "froe.dims";

} // namespace froe

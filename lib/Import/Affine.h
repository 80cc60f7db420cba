#pragma once

#include "Constant.h"

#include <optional>

namespace froe::importing {

/// Indices that grow evenly along each dim: element i is start + sum of steps[d] * i[d].
struct Affine {
  int64_t start;
  llvm::SmallVector<int64_t, 4> steps;
};

/// How `indices` grow, if evenly. Dims that only repeat have step 0.
std::optional<Affine> affineForm(const Constant &indices);

} // namespace froe::importing

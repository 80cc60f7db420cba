// Where the inputs of a run come from.
#pragma once

#include "runtime/launch/Launch.h"
#include "runtime/launch/Manifest.h"

namespace froe {

/// An input for `tensor` made from the seed and its name alone; see RunOptions::randomInputs.
Array randomInput(const Manifest::Tensor &tensor, uint64_t seed, int64_t limit);

/// All inputs of the manifest, in its order. Errors: names that the package does not have, inputs that are missing,
/// files or tensors of another type or shape, all of them in one message.
std::expected<std::vector<Array>, std::string> collectInputs(const Manifest &manifest, const RunOptions &options);

} // namespace froe

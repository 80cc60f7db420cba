#pragma once

#include "froe/Import/Import.h"

#include <stdexcept>

namespace froe::importing {

/// Thrown where a model or an option is wrong. The catcher names the node or the file.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown where Froe lacks something that a correct model uses.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown where an operand has no value because the node that makes it was refused already.
struct Poisoned {};

} // namespace froe::importing

#pragma once

#include "Node.h"

namespace froe::importing {

/// ONNX Resize, one dim after the other: each result is a weighted sum of a few elements along it.
Tensors resize(Node &node);

} // namespace froe::importing

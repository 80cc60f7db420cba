#pragma once

#include "Node.h"

namespace froe::importing {

/// ONNX Conv, as contractions.
Tensors convolution(Node &node);

} // namespace froe::importing

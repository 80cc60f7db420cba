#pragma once

#include "Node.h"

namespace froe::importing {

/// ONNX Conv and ConvTranspose, as contractions over what windows see.
Tensors convolution(Node &node);
Tensors transposedConvolution(Node &node);

} // namespace froe::importing

#pragma once

#include "Node.h"

namespace froe::importing {

/// The spatial attribute `name`, one entry a dim; throws Invalid where there are not `count`.
Sizes spatial(Node &node, llvm::StringRef name, size_t count, int64_t absent);

/// How many elements a window of `size` places spans.
inline int64_t spanOf(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

/// Windows over the spatial dims of [batch, channels, …], as ONNX Conv and pools state them: one entry a dim.
struct Windows {
  Sizes sizes, strides, dilations;
  Sizes low, high; ///< padding
  Sizes counts;    ///< how many windows there are

  /// Reads the attributes of a node whose windows have `sizes`. Throws Invalid.
  static Windows of(Node &node, const Tensor &x, llvm::ArrayRef<int64_t> sizes);

  /// The operand with as much padding as the windows see.
  Tensor padded(Emitter &emit, Tensor x, double value) const;
  /// Whether windows lie side by side along all dims: nothing is seen twice, and nothing left out inside of one.
  bool areSeparate() const;
};

} // namespace froe::importing

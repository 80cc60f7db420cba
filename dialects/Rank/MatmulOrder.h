#pragma once

#include "dialects/Rank/MatmulShape.h"

namespace froe::rank {

/// How a contraction becomes a product that strides express: which operand is on the left, and in which order of
/// letters each tensor has to lie. An order that is not the tensor's own is a copy.
struct MatmulOrder {
  bool swapped = false; ///< lhs and rhs change places; the letters below are those afterwards
  std::string lhs, rhs, result;
};

/// Rows of the result should be runs of n; where that leaves a choice, weights, which can be packed, go to the right.
/// An operand whose summed dims lie in another order than the other's is copied, and as the last resort all three
/// tensors are. `shape` has no posts.
MatmulOrder orderOf(const MatmulShape &shape, bool lhsIsWeight, bool rhsIsWeight);

} // namespace froe::rank

// How a matrix product in letters becomes one in strides, the form that the runtime computes.
#pragma once

#include "dialects/Rank/Rank.h"

#include "froe_rt.h"

#include <expected>
#include <string>

namespace froe::rank {

/// A tensor seen as letters: one for each dim.
struct LetteredShape {
  llvm::StringRef letters;
  llvm::ArrayRef<int64_t> shape;
};

/// One contraction and the tensors that its posts read.
struct MatmulShape {
  LetteredShape lhs, rhs, result;
  llvm::SmallVector<LetteredShape> posts;
};

/// The strided form: fields batch…c_n_stride, and for post i (in order of `shape.posts`) the strides of `posts[i]`.
///
/// Letters of one class (batch; m: lhs and result; n: rhs and result; k: both operands) become one dim where their
/// strides allow it in every tensor. Further m and n dims become batch dims, which one operand broadcasts; there are at
/// most FROE_MAX_BATCH. Letters of k that do not become one dim cannot be expressed. The error says which limit was
/// hit.
std::expected<froe_matmul, std::string> stridesOf(const MatmulShape &shape);

/// The whole descriptor of a step but for `weight`, which is -1. Post buffers are numbered as froe_rt_matmul wants
/// them.
std::expected<froe_matmul, std::string> describe(MatmulOp op);

/// The letters in `lhs,rhs->result`.
struct Subscripts {
  llvm::StringRef lhs, rhs, result;
};
Subscripts splitSubscripts(llvm::StringRef text);

/// The runtime's number of an element type.
froe_type elementTypeOf(mlir::Type type);

} // namespace froe::rank

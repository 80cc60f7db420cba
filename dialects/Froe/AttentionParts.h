// Two products with a softmax between, whatever op computes the products: what each part has to be.
#pragma once

#include "dialects/Froe/Froe.h"

#include <optional>
#include <string>

namespace froe {

/// A tensor with a letter for each of its dims.
struct LetteredTensor {
  std::string letters;
  mlir::RankedTensorType type;

  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
  /// `letter` is one of the tensor's.
  int64_t sizeOf(char letter) const { return type.getDimSize(letters.find(letter)); }
  /// In elements; 0 where the tensor lacks the dim, or has one element along it.
  int64_t strideOf(char letter) const;
};

/// A product of two tensors.
struct LetteredProduct {
  LetteredTensor lhs, rhs, result;
};

/// A softmax over a tensor's last dim, and what rows count as that are NaN.
struct Probabilities {
  SoftmaxOp softmax;
  IsNanOp isNan; ///< with `select`: such rows count as zeros; null: they stay NaN
  SelectOp select;

  /// Those that one product alone reads as `operand`.
  static std::optional<Probabilities> of(mlir::Value operand);
  /// The op that the product reads.
  mlir::Operation *last() const;
};

/// In letters that mean the same dim in all tensors: result = softmax(query · key) · value, the softmax over the keys,
/// which are the last dim of the scores.
struct AttentionTensors {
  static constexpr char kValueLetter = '*'; ///< the dim that only value and result have
  LetteredTensor query, key, value, scores, result;
  bool keyIsRight = true; ///< of the first product's operands, and the query left
  char keyLetter = 0, headLetter = 0;

  /// Nothing where the products are no attention: one dim is summed in the first, the keys alone in the second.
  static std::optional<AttentionTensors> of(const LetteredProduct &scores, const LetteredProduct &values,
                                            bool probabilitiesAreLeft);
  /// Whether a fused kernel can read and multiply them: rows of query, key, value and result are runs of memory of a
  /// multiple of 16 bytes, at most 128 elements, whole tiles of tensor cores.
  bool fitKernel() const;
};

} // namespace froe

// Which operations behind a contraction become part of its step.
#pragma once

#include "dialects/Rank/MatmulShape.h"

namespace froe {

/// A contraction on its way to a `rank.matmul`.
struct Product {
  mlir::Value lhs, rhs;
  std::string lhsLetters, rhsLetters, resultLetters;
  mlir::Value result;                 ///< what the step computes: a value of the old program, dims by `resultLetters`
  std::optional<llvm::APFloat> scale; ///< constant factor of the operands, to be applied to the result

  std::string subscripts() const { return lhsLetters + "," + rhsLetters + "->" + resultLetters; }
};

/// A tensor that a post reads: `source` under another shape, one letter a dim.
struct PostOperand {
  mlir::Value source;
  llvm::SmallVector<int64_t> shape;
  std::string letters;
};

struct PostChain {
  llvm::SmallVector<mlir::Attribute> posts; ///< of rank::PostAttr
  llvm::SmallVector<PostOperand> operands;
  mlir::Operation *last = nullptr; ///< the last operation of the chain; its result has the elements of the product
};

/// The longest chain of operations that can follow the product inside its step: each takes the only use of the one
/// before. Reshapes inside the chain are looked through: elementwise operations may as well come before them.
PostChain findPosts(const Product &product);

/// The constant factor that `op`, a product or quotient, applies to its operand `value`.
std::optional<llvm::APFloat> scaleOf(mlir::Operation *op, mlir::Value value);

/// The product's shape with the operands of `chain`.
rank::MatmulShape shapeOf(const Product &product, llvm::ArrayRef<PostOperand> operands);

} // namespace froe

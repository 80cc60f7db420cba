// Two products with a softmax between, seen as one: what a fused kernel has to know.
#pragma once

#include "dialects/Froe/AttentionParts.h"
#include "dialects/Rank/Rank.h"

#include <optional>

namespace froe::rank {

/// The operations of an attention: result = softmax(posts(query · key)) · value, the softmax over the keys.
struct Attention {
  MatmulOp scores;
  Probabilities probabilities;
  MatmulOp values;

  /// That which ends in `values`, if nothing else uses what is between.
  static std::optional<Attention> endingIn(MatmulOp values);
  /// The operations, in order, with the constant of rows that are NaN.
  llvm::SmallVector<mlir::Operation *> operations() const;
};

/// Strides are in elements, 0 where a tensor lacks the dim.
struct AttentionDim {
  int64_t size = 1, query = 0, key = 0, value = 0, result = 0;
  llvm::SmallVector<int64_t, 2> posts; ///< of the posts' operands
};

/// What each thread of a fused kernel does is cut by: batches share no keys, rows of one batch do.
struct AttentionShape {
  mlir::Value query, key, value;
  mlir::Type element;                          ///< of query, key, value and result
  llvm::SmallVector<AttentionDim> batch, rows; ///< outermost first
  AttentionDim keys;
  int64_t head = 0, valueHead = 0;             ///< sizes of a query's and of a result's row, whose stride is 1
  llvm::SmallVector<PostAttr> posts;           ///< scale, add or mul, in order
  llvm::SmallVector<mlir::Value> postOperands; ///< one for each add or mul

  int64_t batchCount() const;
  int64_t rowCount() const;

  /// Nothing where the tensors do not lie as a fused kernel reads them: rows of query, key, value and result are runs
  /// of memory, of 16 bytes or a multiple.
  static std::optional<AttentionShape> of(const Attention &attention);
};

} // namespace froe::rank

#pragma once

#include "dialects/Froe/Froe.h"

#include "mlir/IR/PatternMatch.h"

namespace froe {

/// One function a file: each says at its top which spelling it recovers what from.
void populateContractionPatterns(mlir::RewritePatternSet &patterns);
void populateReshapePatterns(mlir::RewritePatternSet &patterns);
void populateProjectionPatterns(mlir::RewritePatternSet &patterns);
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);

/// The dims of one shape that make up each dim of another, where `merged` joins neighbouring dims of `split`; nullopt
/// otherwise.
///   split [8, 12, 64], merged [96, 64]: {{0, 1}, {2}}
std::optional<llvm::SmallVector<llvm::SmallVector<int64_t>>> mergedDims(llvm::ArrayRef<int64_t> split,
                                                                        llvm::ArrayRef<int64_t> merged);

/// `value` under another shape: the source of reshapes before it is taken at once, so that patterns never see two in a
/// row of their own making.
mlir::Value reshapeTo(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);

/// The number that every element of `value` is, where it is a constant behind broadcasts and reshapes.
std::optional<double> splatValue(mlir::Value value);

/// A product as its factors: constant numbers multiplied into one, and the other leaves of a tree of multiplications
/// whose inner nodes have one use. Division by a constant counts as multiplication.
struct Product {
  double constant = 1;
  llvm::SmallVector<mlir::Value> leaves;

  static Product of(mlir::Value root);
  /// Removes one leaf for which `is` holds, and returns it; null where there is none.
  mlir::Value take(llvm::function_ref<bool(mlir::Value)> is);
};

/// `value` behind reshapes and broadcasts that only add or repeat dims.
mlir::Value stripBroadcasts(mlir::Value value);

} // namespace froe

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
void populateRepeatPatterns(mlir::RewritePatternSet &patterns);

/// The dims of one shape that make up each dim of another, where `merged` joins neighbouring dims of `split`; nullopt
/// otherwise.
///   split [8, 12, 64], merged [96, 64]: {{0, 1}, {2}}
std::optional<llvm::SmallVector<llvm::SmallVector<int64_t>>> mergedDims(llvm::ArrayRef<int64_t> split,
                                                                        llvm::ArrayRef<int64_t> merged);

/// `value` under another shape: the source of reshapes before it is taken at once, so that patterns never see two in a
/// row of their own making.
mlir::Value reshapeTo(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);

/// `numberOf` for comparisons with numbers that a formula holds.
std::optional<double> splatValue(mlir::Value value);

/// Whether `found`, a constant of that element type or a product of two, can be `expected` after rounding.
bool isRounded(double found, double expected, mlir::Type elementType);

/// A product as its factors: constant numbers multiplied into one, and the other leaves of a tree of multiplications
/// whose inner nodes have one use. Division by a constant counts as multiplication.
struct Product {
  double constant = 1;
  llvm::SmallVector<mlir::Value> leaves;

  static Product of(mlir::Value root);
  /// Removes one leaf for which `is` holds, and returns it; null where there is none.
  mlir::Value take(llvm::function_ref<bool(mlir::Value)> is);
};

/// A value that repeats another along some dims, by broadcasts and by reshapes that only add or drop dims of size 1.
/// Where there are none it is the source itself.
///   broadcast(reshape(s: [4] to [4, 1]) dims [0, 1]) -> [4, 8]: source s, dims [0]
struct Repeated {
  mlir::Value source;
  llvm::SmallVector<int64_t> dims; ///< of the value, for each dim of the source; -1 for those of size 1

  static Repeated of(mlir::Value value);
};

} // namespace froe

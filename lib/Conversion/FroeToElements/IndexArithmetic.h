// Indices of a kernel: i64 values of which an interval is known, and a number that divides them.
#pragma once

#include "lib/Conversion/FroeToElements/Memo.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace froe {

/// Builds index arithmetic once, folds it, and knows the interval that each index lies in.
class IndexArithmetic {
public:
  struct Interval {
    int64_t low, high; ///< both included
  };

  /// Constants are built at the start of `entry`.
  IndexArithmetic(mlir::ImplicitLocOpBuilder &builder, Memo &memo, mlir::Block *entry)
      : builder(builder), memo(memo), entry(entry) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b)); }
  mlir::Value mul(mlir::Value a, int64_t b);
  /// Of an index that is not negative.
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);

  /// The row-major number of an element of a tensor of `shape`, and its inverse.
  mlir::Value linear(llvm::ArrayRef<mlir::Value> indices, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<mlir::Value> delinear(mlir::Value index, llvm::ArrayRef<int64_t> shape);

  /// Declares what lies in an index that comes from elsewhere (a loop, a tensor).
  void define(mlir::Value index, Interval interval) { intervals[index] = interval; }
  Interval interval(mlir::Value index) const;
  /// A number that divides the index whatever its value, a power of two that divides 0 among others.
  int64_t divisor(mlir::Value index) const;
  /// What `build` gives, in a place that is reached only where `index` lies in [0, size).
  mlir::Value assuming(mlir::Value index, int64_t size, llvm::function_ref<mlir::Value()> build);

  /// Quotients and remainders of `index + c` are told apart from those of `index` only where they may differ:
  /// neighbours then stay neighbours through reshapes. For code that reads vectors.
  bool keepsNeighbours = false;

private:
  mlir::Value known(mlir::Value index, Interval interval, int64_t divisor);
  /// `index` as another index plus a constant.
  std::pair<mlir::Value, int64_t> split(mlir::Value index);
  /// Whether adding `offset` to `base` changes no digit but the last of a number to base `b`.
  bool staysBelow(mlir::Value base, int64_t offset, int64_t b) const;

  mlir::ImplicitLocOpBuilder &builder;
  Memo &memo;
  mlir::Block *entry;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, Interval> intervals;
  llvm::DenseMap<mlir::Value, int64_t> divisors; ///< where not 1
};

} // namespace froe

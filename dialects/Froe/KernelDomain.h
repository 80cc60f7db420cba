// What a kernel iterates over: agreed between the pass that forms kernels and the one that generates their code.
#pragma once

#include "mlir/IR/Operation.h"

namespace froe {

/// A kernel computes, for each point of `outer`, a row of shape `row`.
///
/// Every value that its results are made of has the shape outer + row, or is known once a row (shape outer), or is read
/// through index maps. Reductions run over whole rows. Without a row the kernel goes over single points.
struct KernelDomain {
  llvm::SmallVector<int64_t> outer, row;

  int64_t extent() const;  ///< number of points: what [begin, end) of the kernel's function counts
  int64_t rowSize() const; ///< elements of a row
  llvm::SmallVector<int64_t> shape() const;

  /// As function attributes: rank.domain (all dims), rank.row (how many of them are the row's), rank.extent,
  /// rank.grain.
  void writeTo(mlir::Operation *kernel) const;
  static std::optional<KernelDomain> of(mlir::Operation *kernel);

  static constexpr llvm::StringLiteral kDomain = "rank.domain";
  static constexpr llvm::StringLiteral kRow = "rank.row";
  static constexpr llvm::StringLiteral kExtent = "rank.extent";
  static constexpr llvm::StringLiteral kGrain = "rank.grain";
};

} // namespace froe

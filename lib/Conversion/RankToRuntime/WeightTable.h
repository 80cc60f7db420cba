// Which weights a rank stores, and in which form.
#pragma once

#include "dialects/Rank/Rank.h"
#include "froe/Conversion/Package.h"
#include "runtime/cpu/Isa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace froe {

/// The value that `value` is a view of.
mlir::Value viewRoot(mlir::Value value);

/// A weight that is only a right operand of products is stored as the matrix library packs it; where products want
/// several packings, or something else reads it, in several forms.
class WeightTable {
public:
  /// `isa`: of the processor that the program is for; nothing: it is for GPUs, whose weights are all plain.
  WeightTable(mlir::func::FuncOp main, const Mesh &mesh, std::optional<cpu::Isa> isa);

  const std::vector<Package::Weight> &weights() const { return list; }
  /// The packed form that the product's right operand has, or -1: it is a plain buffer.
  int packedIndex(rank::MatmulOp op) const;
  /// The plain form; the weight must have a user other than products that take it packed.
  int plainIndex(WeightOp op) const;

private:
  const Mesh &mesh;
  std::optional<cpu::Isa> isa;
  std::vector<Package::Weight> list;
  llvm::DenseMap<mlir::Operation *, int> packed; ///< by product
  llvm::DenseMap<mlir::Operation *, int> plain;  ///< by weight

  void add(WeightOp op);
  int append(WeightOp op, std::optional<Package::Packed> packing);
};

} // namespace froe

#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>
#include <memory>
#include <vector>

namespace froe::importing {

/// One number: `real` where the element type is a float, else `integer` (booleans are 0 and 1).
union Scalar {
  int64_t integer;
  double real;
};

/// `value` as the element type holds it: rounded to the float, or wrapped to the integer.
Scalar roundTo(mlir::Type elementType, Scalar value);
Scalar integerScalar(int64_t value);
Scalar realScalar(double value);
/// `value` in `elementType`, whichever kind that is.
Scalar scalarOf(mlir::Type elementType, double value);

/// A tensor whose elements are known at import: a strided view of a shared buffer.
///
/// A dim that only repeats has stride 0, so that masks and index tensors of full size cost nothing. Tensors that are
/// put together along a dim stay in parts until somebody needs them in one piece.
class Constant {
public:
  static Constant dense(mlir::Type elementType, llvm::ArrayRef<int64_t> shape, std::vector<Scalar> elements);
  static Constant splat(mlir::Type elementType, llvm::ArrayRef<int64_t> shape, Scalar value);
  static Constant integers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values); // of shape [n]
  static Constant concat(std::vector<Constant> parts, int64_t dim);

  mlir::Type elementType() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  int64_t rank() const { return sizes.size(); }
  int64_t count() const;
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }
  bool inParts() const { return !parts.empty(); }
  llvm::ArrayRef<Constant> getParts() const { return parts; }
  int64_t getPartDim() const { return partDim; }

  /// Whether result dim `dim` only repeats.
  bool repeats(int64_t dim) const { return sizes[dim] == 1 || strides[dim] == 0; }
  /// The same with one element along each dim that only repeats.
  Constant compact() const;

  Scalar at(llvm::ArrayRef<int64_t> index) const;
  /// All elements, row-major.
  std::vector<Scalar> flatten() const;
  /// All elements of an integer tensor, row-major.
  std::vector<int64_t> flattenIntegers() const;
  /// In one piece.
  Constant settled() const;

  Constant transposed(llvm::ArrayRef<int64_t> permutation) const;
  Constant broadcast(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) const;
  Constant sliced(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> shape) const;
  /// Copies, unless only dims of size 1 come and go.
  Constant reshaped(llvm::ArrayRef<int64_t> shape) const;

  mlir::DenseElementsAttr attribute() const;

private:
  mlir::Type type;
  llvm::SmallVector<int64_t, 4> sizes, strides;
  int64_t offset = 0;
  std::shared_ptr<const std::vector<Scalar>> buffer;
  std::vector<Constant> parts;
  int64_t partDim = 0;
};

/// Calls `visit` with every index of a tensor of `shape`, row-major.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

} // namespace froe::importing

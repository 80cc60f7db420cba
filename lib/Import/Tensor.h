#pragma once

#include "Constant.h"

#include "mlir/IR/Value.h"

#include <memory>
#include <optional>
#include <string>

namespace froe::importing {

/// Elements that stay in a file (froe.weight).
struct WeightPlace {
  std::string name, file;
  int64_t offset, length;
};

/// A tensor of the model while it is imported. It becomes a value of the program when an op first needs it, so that
/// what is folded away leaves no trace.
struct TensorState {
  mlir::RankedTensorType type;
  /// Null until an op needs it.
  mlir::Value value;
  /// Its elements, where they are known and small.
  std::optional<Constant> constant;
  std::optional<WeightPlace> weight;

  int64_t rank() const { return type.getRank(); }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t size(int64_t dim) const { return type.getDimSize(dim); }
  mlir::Type elementType() const { return type.getElementType(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType()); }
  bool isBoolean() const { return elementType().isInteger(1); }
};

/// Null stands for an operand that is left out.
using Tensor = std::shared_ptr<TensorState>;
using Tensors = llvm::SmallVector<Tensor, 2>;

} // namespace froe::importing

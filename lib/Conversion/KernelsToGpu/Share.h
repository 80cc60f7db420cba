// What one thread computes.
#pragma once

#include "lib/Conversion/FroeToElements/Lower.h"
#include "lib/Conversion/KernelsToGpu/LaunchShape.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace froe {

/// Consecutive elements of a row, by their indices.
struct RowVector {
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> elements;
  mlir::Value
      active; ///< whether this thread's number of the vector exists; null: always. If not, the last one is named
};

/// The elements of a row that a thread owns. `lane` is its number among those of the row.
class Share {
public:
  Share(Elements &elements, llvm::ArrayRef<int64_t> row, const LaunchShape &shape, mlir::Value lane);
  /// Just these.
  Share(Elements &elements, RowVector only);

  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Indices row, mlir::Value active, mlir::ValueRange accumulated)>;
  /// Hands `initial` from element to element.
  llvm::SmallVector<mlir::Value> fold(mlir::ValueRange initial, Body body);
  /// Vector by vector.
  void forEach(llvm::function_ref<void(const RowVector &)> body);
  /// All of them, unless there are so many that code loops over them.
  const std::vector<RowVector> *all() const { return unrolled ? &vectors : nullptr; }

private:
  RowVector vectorAt(mlir::Value number);

  Elements &elements;
  llvm::SmallVector<int64_t> row;
  LaunchShape shape;
  mlir::Value lane;
  bool unrolled;
  std::vector<RowVector> vectors;
};

/// Code that is executed where `condition` holds (always, if there is none).
void when(Elements &elements, mlir::Value condition, llvm::function_ref<void()> body);

/// Loops over `sizes`, innermost last, that hand `initial` on.
llvm::SmallVector<mlir::Value>
foldOver(Elements &elements, llvm::ArrayRef<int64_t> sizes, mlir::ValueRange initial,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(Indices, mlir::ValueRange)> body);

} // namespace froe

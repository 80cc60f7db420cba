// The code that computes one row of a kernel's domain: loops over the row, buffers of its size, what is known about it.
#pragma once

#include "dialects/Froe/KernelDomain.h"
#include "lib/Conversion/FroeToElements/FindCuts.h"
#include "lib/Conversion/FroeToElements/Lower.h"

namespace froe {

/// Memory of a row's size.
struct RowBuffer {
  mlir::Value pointer; ///< its first element
  mlir::Type elementType;
};

class Row {
public:
  /// `entry` is the function's first block, where buffers are allocated.
  Row(Elements &elements, const KernelDomain &domain, mlir::Block *entry)
      : elements(elements), domain(domain), entry(entry) {}

  Elements &elements;
  const KernelDomain &domain;
  llvm::SmallVector<mlir::Value> outer; ///< indices of the present row

  mlir::ImplicitLocOpBuilder &builder() { return elements.builder; }
  /// The element of a tensor of the domain's shape.
  mlir::Value at(mlir::Value tensor, Indices row);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Indices row, mlir::ValueRange accumulated)>;
  /// A loop over the row, innermost dim cut at `cuts`, that hands `initial` from element to element.
  llvm::SmallVector<mlir::Value> fold(llvm::ArrayRef<int64_t> cuts, mlir::ValueRange initial, Body body);
  /// The same over other dims.
  llvm::SmallVector<mlir::Value> foldOver(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> cuts,
                                          mlir::ValueRange initial, Body body);

  RowBuffer allocate(mlir::Type elementType);
  /// Nothing if all buffers together would be too large.
  std::optional<RowBuffer> tryAllocate(mlir::Type elementType);
  mlir::Value load(const RowBuffer &buffer, Indices row);
  void store(const RowBuffer &buffer, Indices row, mlir::Value element);

  /// Elements of a tensor of the domain's shape come from `source`, by indices of the row. Valid in the present row
  /// only.
  void declareFull(mlir::Value tensor, std::function<mlir::Value(Indices row)> source);
  /// A tensor of the outer shape has this element.
  void declareOuter(mlir::Value tensor, mlir::Value element);

private:
  llvm::SmallVector<mlir::Value> loop(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> cuts,
                                      llvm::SmallVectorImpl<mlir::Value> &indices, mlir::ValueRange initial, Body body);
  llvm::SmallVector<mlir::Value> segment(int64_t from, int64_t to, llvm::ArrayRef<int64_t> inner,
                                         llvm::ArrayRef<int64_t> cuts, llvm::SmallVectorImpl<mlir::Value> &indices,
                                         mlir::ValueRange initial, Body body);
  void checkOuter(mlir::Value tensor, Indices indices);

  mlir::Block *entry;
  int64_t allocatedBytes = 0;
};

/// Computes what an op over rows has to know before it can give single elements, and declares its result.
void prepare(ReduceOp op, Row &row);
void prepare(SoftmaxOp op, Row &row);
void prepare(NormalizeOp op, Row &row);

} // namespace froe

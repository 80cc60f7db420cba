// The lowering of each op, by family: `lower(op, elements, indices)` builds the element of the op's result at
// `indices`.
#pragma once

#include "lib/Conversion/FroeToElements/Elements.h"

namespace froe {

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}
inline mlir::Type elementTypeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
}

/// Any op that works element by element, by its scalar operands (Elementwise.cpp).
mlir::Value lowerScalar(mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder, Elements &elements,
                        mlir::ValueRange operands);

/// An element of another type, as ONNX Cast defines it (Cast.cpp).
mlir::Value castScalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type from, mlir::Type to);
/// f32 to what memory holds of a narrower float, and back. bfloat16 is handled as bits: LLVM would call a library for
/// it on hosts without instructions for it.
mlir::Value narrowFloat(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type to);
mlir::Value widenFloat(mlir::ImplicitLocOpBuilder &builder, mlir::Value stored, mlir::Type from);

// LayoutOps
mlir::Value lower(ReshapeOp op, Elements &elements, Indices indices);
mlir::Value lower(TransposeOp op, Elements &elements, Indices indices);
mlir::Value lower(BroadcastOp op, Elements &elements, Indices indices);
mlir::Value lower(ConcatOp op, Elements &elements, Indices indices);
mlir::Value lower(SliceOp op, Elements &elements, Indices indices);
mlir::Value lower(PadOp op, Elements &elements, Indices indices);
mlir::Value lower(WindowOp op, Elements &elements, Indices indices);

// IndexOps
mlir::Value lower(GatherOp op, Elements &elements, Indices indices);
mlir::Value lower(GatherNdOp op, Elements &elements, Indices indices);

// ProgramOps
mlir::Value lower(ConstantOp op, Elements &elements, Indices indices);
mlir::Value lower(IotaOp op, Elements &elements, Indices indices);

} // namespace froe

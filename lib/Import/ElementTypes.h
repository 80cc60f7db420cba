#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <string>

namespace froe::importing {

/// The element type that a TensorProto::DataType stands for. Throws Unsupported.
mlir::Type elementType(mlir::MLIRContext &context, int32_t onnxType);

/// How ONNX spells a data type ("FLOAT16"), or its number.
std::string onnxTypeName(int32_t onnxType);

/// Bytes of an element in a file: booleans take one.
int64_t bytesOf(mlir::Type elementType);

/// MLIR's spelling ("f32").
std::string spell(mlir::Type type);

/// The number of elements. Throws Invalid where elements times `elementBytes` overflow 63 bits.
int64_t elementCount(llvm::ArrayRef<int64_t> shape, int64_t elementBytes = 1);

/// "8x128", "scalar".
std::string spellShape(llvm::ArrayRef<int64_t> shape);

} // namespace froe::importing

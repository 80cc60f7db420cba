#pragma once

#include "Emitter.h"
#include "ModelFile.h"

namespace froe::importing {

/// The elements of a tensor that are stored in the message itself. Throws Invalid where they do not fit its shape.
Constant inlineConstant(mlir::MLIRContext &context, const onnx::TensorProto &tensor);

/// Makes tensors of what a model stores, wherever it does.
class TensorReader {
public:
  TensorReader(mlir::MLIRContext &context, const ModelFile &file, bool needWeights)
      : context(context), file(file), needWeights(needWeights) {}

  /// Small tensors and small lists of integers come as constants, the others as weights. Throws Invalid and
  /// Unsupported.
  Tensor read(const onnx::TensorProto &tensor, llvm::StringRef name) const;

private:
  WeightPlace placeOf(const onnx::TensorProto &tensor, llvm::StringRef name, int64_t bytes) const;
  WeightPlace externalPlace(const onnx::TensorProto &tensor, llvm::StringRef name, int64_t bytes) const;
  std::optional<Constant> readSmall(mlir::RankedTensorType type, const WeightPlace &place) const;

  mlir::MLIRContext &context;
  const ModelFile &file;
  bool needWeights;
};

} // namespace froe::importing

#pragma once

#include "onnx-ml.pb.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace froe::importing {

/// A range of bytes of the model file.
struct ByteRange {
  int64_t offset, length;
};

/// An ONNX file: mapped, and parsed without the elements of its large tensors.
///
/// Elements that lie in one piece of more than `kLargeBytes` are left out of `model`; `elementsOf` says where they are
/// in the file.
struct ModelFile {
  static constexpr int64_t kLargeBytes = 64;

  std::string path;
  /// The folder that external data is relative to.
  std::string folder;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  onnx::ModelProto model;

  /// Where the elements of `tensor` lie in this file, if they were left out of `model`.
  static std::optional<ByteRange> elementsOf(const onnx::TensorProto &tensor);
};

/// Throws Invalid: no such file, a folder, empty, text, truncated, or no ONNX model.
ModelFile readModel(const std::string &path);

} // namespace froe::importing

#pragma once

#include "onnx-ml.pb.h"

#include <optional>
#include <string>

namespace froe::importing {

/// Where a tensor's elements lie outside the model file.
struct ExternalData {
  /// Relative to the model's folder.
  std::string location;
  int64_t offset, length;
};

/// What `tensor`, of `bytes` bytes, says about its elements' place. Throws Invalid where it contradicts itself.
ExternalData readExternalData(const onnx::TensorProto &tensor, int64_t bytes);

/// Why `data` cannot be read, if it cannot: it points outside `folder` (directly or by a link), or the file is missing
/// or too short. A missing file is accepted if `needed` is false.
std::optional<std::string> checkExternalFile(const std::string &folder, const ExternalData &data, bool needed);

} // namespace froe::importing

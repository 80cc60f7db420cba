#pragma once

#include "onnx-ml.pb.h"

namespace froe::importing {

/// The nodes of `function` as the call `node` means them: attributes that refer to the function's are replaced by the
/// call's, by their defaults, or left out.
google::protobuf::RepeatedPtrField<onnx::NodeProto> bodyOf(const onnx::FunctionProto &function,
                                                           const onnx::NodeProto &node);

} // namespace froe::importing

#pragma once

#include "onnx-ml.pb.h"

#include <vector>

namespace froe::importing {

/// The nodes in an order in which operands are made before they are used. Throws Invalid, naming nodes, if there is
/// none. `nodes` of a graph or function; subgraphs count as uses of what they take from outside.
std::vector<const onnx::NodeProto *> orderOf(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);

/// Throws Invalid where one name is made twice: by nodes, as an input, or as an initializer (which may also be an
/// input).
void checkNames(const onnx::GraphProto &graph);

/// What messages and locations call a node: its name, or its operator and first result where it has none.
std::string labelOf(const onnx::NodeProto &node);

} // namespace froe::importing

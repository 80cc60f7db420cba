#include "Functions.h"

namespace froe::importing {

static const onnx::AttributeProto *actual(const std::string &name, const onnx::FunctionProto &function,
                                          const onnx::NodeProto &call) {
  for (const onnx::AttributeProto &attribute : call.attribute())
    if (attribute.name() == name)
      return &attribute;
  for (const onnx::AttributeProto &attribute : function.attribute_proto())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

static void replaceReferences(onnx::NodeProto &node, const onnx::FunctionProto &function, const onnx::NodeProto &call) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
  attributes.Swap(node.mutable_attribute());
  for (onnx::AttributeProto &attribute : attributes) {
    if (attribute.has_g())
      for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
        replaceReferences(inner, function, call);
    if (attribute.ref_attr_name().empty()) {
      *node.add_attribute() = attribute;
    } else if (const onnx::AttributeProto *found = actual(attribute.ref_attr_name(), function, call)) {
      onnx::AttributeProto &copy = *node.add_attribute();
      copy = *found;
      copy.set_name(attribute.name());
    }
  }
}

google::protobuf::RepeatedPtrField<onnx::NodeProto> bodyOf(const onnx::FunctionProto &function,
                                                           const onnx::NodeProto &node) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> body = function.node();
  for (onnx::NodeProto &inner : body)
    replaceReferences(inner, function, node);
  return body;
}

} // namespace froe::importing

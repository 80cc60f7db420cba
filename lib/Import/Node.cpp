#include "Node.h"
#include "Failure.h"

#include <fmt/format.h>

namespace froe::importing {

using onnx::AttributeProto;

Tensor Node::operand(int number) const {
  if (Tensor tensor = optional(number))
    return tensor;
  throw Invalid(fmt::format("operand {} is missing", number));
}

const AttributeProto *Node::attribute(llvm::StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

static void requireType(const AttributeProto &attribute, AttributeProto::AttributeType type, const char *expected) {
  if (attribute.type() != type)
    throw Invalid(fmt::format("attribute '{}' is not {}", attribute.name(), expected));
}

int64_t Node::integer(llvm::StringRef name, int64_t absent) const {
  const AttributeProto *found = attribute(name);
  if (!found)
    return absent;
  requireType(*found, AttributeProto::INT, "an integer");
  return found->i();
}

int64_t Node::integer(llvm::StringRef name) const {
  if (!has(name))
    throw Invalid(fmt::format("attribute '{}' is missing", name.str()));
  return integer(name, 0);
}

double Node::real(llvm::StringRef name, double absent) const {
  const AttributeProto *found = attribute(name);
  if (!found)
    return absent;
  requireType(*found, AttributeProto::FLOAT, "a float");
  return found->f();
}

std::string Node::text(llvm::StringRef name, llvm::StringRef absent) const {
  const AttributeProto *found = attribute(name);
  if (!found)
    return absent.str();
  requireType(*found, AttributeProto::STRING, "a string");
  return found->s();
}

std::optional<Sizes> Node::integers(llvm::StringRef name) const {
  const AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  requireType(*found, AttributeProto::INTS, "a list of integers");
  return Sizes(found->ints().begin(), found->ints().end());
}

Constant Node::knownOperand(int number, llvm::StringRef what) const {
  Tensor tensor = operand(number);
  if (!tensor->constant)
    throw Unsupported(fmt::format(
        "its {} (operand '{}') depends on the program's inputs; fix the inputs that it depends on by --const",
        what.str(), proto.input(number)));
  if (tensor->constant->count() > Emitter::kFoldLimit)
    throw Unsupported(fmt::format("its {} (operand '{}') has too many elements, {}", what.str(), proto.input(number),
                                  tensor->constant->count()));
  return *tensor->constant;
}

Sizes Node::knownIntegers(int number, llvm::StringRef what) const {
  Constant constant = knownOperand(number, what);
  if (constant.isFloat() || constant.rank() > 1)
    throw Invalid(fmt::format("its {} (operand '{}') is no list of integers", what.str(), proto.input(number)));
  std::vector<int64_t> values = constant.flattenIntegers();
  return Sizes(values.begin(), values.end());
}

std::optional<Sizes> Node::integersMoved(llvm::StringRef name, int number, int64_t movedAt) const {
  if (opset < movedAt)
    return integers(name);
  return optional(number) ? std::optional(knownIntegers(number, name)) : std::nullopt;
}

std::optional<Sizes> Node::axesMoved(int number, int64_t movedAt, int64_t rank) const {
  std::optional<Sizes> axes = integersMoved("axes", number, movedAt);
  if (!axes)
    return std::nullopt;
  for (int64_t &axis : *axes)
    axis = positiveDim(axis, rank);
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    throw Invalid("its axes name one dim twice");
  return axes;
}

} // namespace froe::importing

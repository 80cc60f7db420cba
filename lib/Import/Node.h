#pragma once

#include "Emitter.h"

#include "onnx-ml.pb.h"

#include <optional>

namespace froe::importing {

/// One ONNX node with its operands, as its importing function sees it.
///
/// Attribute getters throw Invalid where the attribute has another type; operand getters where the operand is missing.
class Node {
public:
  Node(const onnx::NodeProto &proto, int64_t opset, Emitter &emit, llvm::SmallVector<Tensor> operands)
      : proto(proto), opset(opset), emit(emit), operands(std::move(operands)) {}

  const onnx::NodeProto &proto;
  /// The version of the node's domain whose meaning the node has.
  const int64_t opset;
  Emitter &emit;

  llvm::ArrayRef<Tensor> allOperands() const { return operands; }
  /// Operand `number`, which must be there.
  Tensor operand(int number) const;
  /// Operand `number`, or null where it is left out.
  Tensor optional(int number) const { return number < int(operands.size()) ? operands[number] : nullptr; }
  bool hasResult(int number) const { return number < proto.output_size() && !proto.output(number).empty(); }

  const onnx::AttributeProto *attribute(llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return attribute(name); }
  int64_t integer(llvm::StringRef name, int64_t absent) const;
  /// Throws Invalid where the attribute is missing.
  int64_t integer(llvm::StringRef name) const;
  double real(llvm::StringRef name, double absent) const;
  std::string text(llvm::StringRef name, llvm::StringRef absent) const;
  std::optional<Sizes> integers(llvm::StringRef name) const;

  /// The elements of an operand that decides shapes. Throws Unsupported where they are not known at import.
  Sizes knownIntegers(int number, llvm::StringRef what) const;
  Constant knownOperand(int number, llvm::StringRef what) const;
  /// A list that was attribute `name` before opset `movedAt` and has been operand `number` since; none if left out.
  std::optional<Sizes> integersMoved(llvm::StringRef name, int number, int64_t movedAt) const;
  /// The same, as dims counted from the front of a tensor of `rank`.
  std::optional<Sizes> axesMoved(int number, int64_t movedAt, int64_t rank) const;

private:
  llvm::SmallVector<Tensor> operands;
};

} // namespace froe::importing

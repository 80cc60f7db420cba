#pragma once

#include "Initializers.h"
#include "Operators.h"

#include "llvm/ADT/StringMap.h"

namespace froe::importing {

/// The tensors that names stand for in a graph, and in the graphs around it.
struct Scope {
  const Scope *outer = nullptr;
  /// Null for results of nodes that were refused.
  llvm::StringMap<Tensor> tensors;

  /// Throws Invalid where nothing makes `name`, and Poisoned.
  Tensor find(llvm::StringRef name) const;
};

/// Imports the nodes of graphs, with functions inlined and decided branches taken. Goes on after a refused node, so
/// that all refusals are known in the end.
class GraphImporter {
public:
  GraphImporter(Emitter &emit, const TensorReader &reader, const onnx::ModelProto &model);

  /// Imports initializers and nodes into `scope`, which holds the inputs.
  void importGraph(const onnx::GraphProto &graph, Scope &scope);
  /// The tensors of the graph's outputs.
  std::vector<Tensor> outputsOf(const onnx::GraphProto &graph, const Scope &scope);

  struct Refusal {
    bool isUnsupported;
    std::string line;
  };
  const std::vector<Refusal> &getRefusals() const { return refusals; }

private:
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  using Opsets = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;

  void importNodes(const Nodes &nodes, Scope &scope);
  void importNode(const onnx::NodeProto &node, Scope &scope);
  Tensors resultsOf(const onnx::NodeProto &node, const Scope &scope);
  Tensors importConstant(const onnx::NodeProto &node);
  Tensors importIf(const Node &node, const Scope &scope);
  Tensors inlineFunction(const onnx::FunctionProto &function, const onnx::NodeProto &node,
                         llvm::ArrayRef<Tensor> operands);
  int64_t opsetOf(const onnx::NodeProto &node) const;
  const onnx::FunctionProto *functionOf(const onnx::NodeProto &node) const;
  std::string describe(const onnx::NodeProto &node) const;
  void refuse(const onnx::NodeProto &node, bool isUnsupported, llvm::StringRef reason);

  Emitter &emit;
  const TensorReader &reader;
  const onnx::ModelProto &model;
  /// The opsets in force: the model's, or those of the function that is being inlined.
  const Opsets *opsets;
  /// Functions that are being inlined, and what the names of their nodes begin with.
  llvm::SmallVector<const onnx::FunctionProto *> inlining;
  std::string namePrefix;
  std::vector<Refusal> refusals;
};

} // namespace froe::importing

#include "GraphImporter.h"
#include "ElementTypes.h"
#include "Failure.h"
#include "Functions.h"
#include "GraphOrder.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

Tensor Scope::find(llvm::StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (auto found = scope->tensors.find(name); found != scope->tensors.end()) {
      if (!found->second)
        throw Poisoned();
      return found->second;
    }
  throw Invalid(fmt::format("'{}' is neither an input, nor an initializer, nor a result of a node", name.str()));
}

GraphImporter::GraphImporter(Emitter &emit, const TensorReader &reader, const onnx::ModelProto &model)
    : emit(emit), reader(reader), model(model), opsets(&model.opset_import()) {}

static std::string domainOf(const onnx::NodeProto &node) { return node.domain() == "ai.onnx" ? "" : node.domain(); }

int64_t GraphImporter::opsetOf(const onnx::NodeProto &node) const {
  for (const onnx::OperatorSetIdProto &opset : *opsets)
    if ((opset.domain() == "ai.onnx" ? "" : opset.domain()) == domainOf(node))
      return opset.version();
  return 0;
}

std::string GraphImporter::describe(const onnx::NodeProto &node) const {
  std::string domain = domainOf(node);
  int64_t opset = opsetOf(node);
  return fmt::format("node '{}{}' ({}{}{}, {})", namePrefix, labelOf(node), domain, domain.empty() ? "" : ".",
                     node.op_type(), opset ? fmt::format("opset {}", opset) : "no opset");
}

void GraphImporter::refuse(const onnx::NodeProto &node, bool isUnsupported, llvm::StringRef reason) {
  refusals.push_back({isUnsupported, fmt::format("{}: {}", describe(node), reason.str())});
}

void GraphImporter::importGraph(const onnx::GraphProto &graph, Scope &scope) {
  checkNames(graph);
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    Tensor &tensor = scope.tensors[initializer.name()];
    try {
      tensor = reader.read(initializer, initializer.name());
    } catch (const Invalid &problem) {
      refusals.push_back({false, problem.what()});
    } catch (const Unsupported &problem) {
      refusals.push_back({true, problem.what()});
    }
  }
  if (graph.sparse_initializer_size())
    refusals.push_back(
        {true, fmt::format("sparse initializer '{}' is not supported", graph.sparse_initializer(0).values().name())});
  importNodes(graph.node(), scope);
}

void GraphImporter::importNodes(const Nodes &nodes, Scope &scope) {
  for (const onnx::NodeProto *node : orderOf(nodes))
    importNode(*node, scope);
}

void GraphImporter::importNode(const onnx::NodeProto &node, Scope &scope) {
  for (const std::string &name : node.output())
    if (!name.empty())
      scope.tensors[name] = nullptr;
  try {
    emit.location = NameLoc::get(emit.builder.getStringAttr(namePrefix + labelOf(node)));
    Tensors results = resultsOf(node, scope);
    for (int i = 0; i < node.output_size(); ++i)
      if (i < int(results.size()))
        scope.tensors[node.output(i)] = results[i];
      else if (!node.output(i).empty())
        refuse(node, true, fmt::format("its result '{}' is not supported", node.output(i)));
  } catch (const Invalid &problem) {
    refuse(node, false, problem.what());
  } catch (const Unsupported &problem) {
    refuse(node, true, problem.what());
  } catch (const Poisoned &) {
    // Refused further up; what this node itself may lack shows when that is solved.
  }
}

static void checkOperator(const Operator *op, const onnx::NodeProto &node, int64_t opset) {
  if (!op)
    throw Unsupported("the operator is not supported");
  if (opset == 0)
    throw Invalid(fmt::format("the model imports no opset of domain '{}'", node.domain()));
  if (opset < op->firstOpset)
    throw Invalid(fmt::format("the operator is new in opset {}", op->firstOpset));
}

Tensors GraphImporter::resultsOf(const onnx::NodeProto &node, const Scope &scope) {
  const onnx::FunctionProto *function = functionOf(node);
  const Operator *op = findOperator(domainOf(node), node.op_type());
  int64_t opset = opsetOf(node);
  if (!function)
    checkOperator(op, node, opset);
  SmallVector<Tensor> operands;
  for (const std::string &name : node.input())
    operands.push_back(name.empty() ? nullptr : scope.find(name));
  if (function)
    return inlineFunction(*function, node, operands);
  if (!operands.empty() && operands.front() && !accepts(op->types, operands.front()->elementType()))
    throw Unsupported(fmt::format("element type {} is not supported", spell(operands.front()->elementType())));
  Node view(node, opset, emit, std::move(operands));
  if (op->import)
    return op->import(view);
  return node.op_type() == "If" ? importIf(view, scope) : importConstant(node);
}

static Constant listOfFloats(MLIRContext *context, llvm::ArrayRef<int64_t> shape, const auto &values) {
  std::vector<Scalar> elements;
  for (float value : values)
    elements.push_back(realScalar(value));
  return Constant::dense(Float32Type::get(context), shape, std::move(elements));
}

Tensors GraphImporter::importConstant(const onnx::NodeProto &node) {
  if (node.attribute_size() != 1)
    throw Invalid(fmt::format("it has {} attributes, expected one", node.attribute_size()));
  const onnx::AttributeProto &value = node.attribute(0);
  if (value.name() == "value" && value.has_t())
    return {reader.read(value.t(), node.output(0))};
  if (value.name() == "value_int")
    return {emit.scalar(emit.i64(), value.i())};
  if (value.name() == "value_ints")
    return {emit.integers(llvm::ArrayRef<int64_t>(value.ints().data(), value.ints_size()))};
  if (value.name() == "value_float")
    return {emit.scalar(emit.builder.getF32Type(), value.f())};
  if (value.name() == "value_floats")
    return {emit.known(listOfFloats(emit.context(), {value.floats_size()}, value.floats()))};
  throw Unsupported(fmt::format("attribute '{}' is not supported", value.name()));
}

Tensors GraphImporter::importIf(const Node &node, const Scope &scope) {
  bool taken = node.knownOperand(0, "condition").flatten().at(0).integer;
  const onnx::AttributeProto *branch = node.attribute(taken ? "then_branch" : "else_branch");
  if (!branch || !branch->has_g())
    throw Invalid("a branch is missing");
  Scope inner{&scope, {}};
  importGraph(branch->g(), inner);
  Tensors results;
  llvm::append_range(results, outputsOf(branch->g(), inner));
  return results;
}

std::vector<Tensor> GraphImporter::outputsOf(const onnx::GraphProto &graph, const Scope &scope) {
  std::vector<Tensor> outputs;
  for (const onnx::ValueInfoProto &output : graph.output())
    outputs.push_back(scope.find(output.name()));
  return outputs;
}

const onnx::FunctionProto *GraphImporter::functionOf(const onnx::NodeProto &node) const {
  for (const onnx::FunctionProto &function : model.functions())
    if (function.name() == node.op_type() && function.domain() == node.domain() &&
        function.overload() == node.overload())
      return &function;
  return nullptr;
}

Tensors GraphImporter::inlineFunction(const onnx::FunctionProto &function, const onnx::NodeProto &node,
                                      llvm::ArrayRef<Tensor> operands) {
  if (llvm::is_contained(inlining, &function))
    throw Invalid(fmt::format("function '{}' calls itself", function.name()));
  if (int(operands.size()) > function.input_size())
    throw Invalid(fmt::format("it has {} operands, function '{}' takes {}", operands.size(), function.name(),
                              function.input_size()));
  llvm::SaveAndRestore opsetsOfFunction(opsets, &function.opset_import());
  llvm::SaveAndRestore prefix(namePrefix, namePrefix + labelOf(node) + "/");
  inlining.push_back(&function);
  llvm::scope_exit pop([&] { inlining.pop_back(); });
  Nodes body = bodyOf(function, node);
  Scope scope;
  for (auto [name, operand] : llvm::zip(function.input(), operands))
    if (operand)
      scope.tensors[name] = operand;
  // A formal operand without an actual one is absent inside too.
  for (onnx::NodeProto &inner : body)
    for (std::string &name : *inner.mutable_input())
      if (llvm::is_contained(llvm::drop_begin(function.input(), operands.size()), name))
        name.clear();
  importNodes(body, scope);
  Tensors results;
  for (const std::string &output : function.output())
    results.push_back(scope.find(output));
  return results;
}

} // namespace froe::importing

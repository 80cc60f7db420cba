// An ONNX file as a module: read, bind, import, close the function, verify.
#include "froe/Import/Import.h"

#include "ElementTypes.h"
#include "Failure.h"
#include "GraphImporter.h"
#include "Inputs.h"

#include "dialects/Froe/DimNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe {

using namespace importing;

namespace {

ImportFailure failure(int exitCode, const std::string &path, llvm::StringRef problems) {
  ImportFailure result{exitCode, {}};
  llvm::SmallVector<llvm::StringRef> lines;
  problems.split(lines, '\n');
  for (llvm::StringRef line : lines)
    result.lines.push_back(llvm::json::fixUTF8(fmt::format("{}: {}", path, line.str()))); // names may hold anything
  return result;
}

void checkOpsets(const onnx::ModelProto &model) {
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx") {
      if (opset.version() > kNewestOpset)
        throw Unsupported(fmt::format("opset {} is not supported, the newest is {}", opset.version(), kNewestOpset));
      if (opset.version() < kOldestOpset)
        throw Unsupported(
            fmt::format("opset {} is not supported, the oldest is {}; convert the model with onnx.version_converter",
                        opset.version(), kOldestOpset));
    }
}

DictionaryAttr nameAttribute(OpBuilder &builder, const std::string &name) {
  return builder.getDictionaryAttr(builder.getNamedAttr(FroeDialect::kName, builder.getStringAttr(name)));
}

DictionaryAttr attributesOf(OpBuilder &builder, const BoundInput &input) {
  NamedAttrList attributes(nameAttribute(builder, input.name));
  if (llvm::any_of(input.dims, [](const std::string &name) { return !name.empty(); })) {
    SmallVector<Attribute> names;
    for (const std::string &name : input.dims)
      names.push_back(builder.getStringAttr(name));
    attributes.set(kDimNames, builder.getArrayAttr(names));
  }
  return attributes.getDictionary(builder.getContext());
}

/// @main with an argument for each input that is left, in a new module.
func::FuncOp openFunction(ModuleOp module, const std::vector<BoundInput> &inputs, Scope &scope, Emitter &emit) {
  OpBuilder &builder = emit.builder;
  builder.setInsertionPointToEnd(module.getBody());
  auto main = func::FuncOp::create(builder, module.getLoc(), "main", builder.getFunctionType({}, {}));
  Block *entry = main.addEntryBlock();
  SmallVector<DictionaryAttr> attributes;
  for (const BoundInput &input : inputs) {
    if (input.constant) {
      scope.tensors[input.name] = emit.known(*input.constant);
      continue;
    }
    scope.tensors[input.name] =
        emit.wrap(entry->addArgument(input.type, NameLoc::get(builder.getStringAttr(input.name))));
    attributes.push_back(attributesOf(builder, input));
  }
  main.setFunctionType(builder.getFunctionType(entry->getArgumentTypes(), {}));
  main.setAllArgAttrs(attributes);
  builder.setInsertionPointToStart(entry);
  return main;
}

void closeFunction(func::FuncOp main, const onnx::GraphProto &graph, llvm::ArrayRef<Tensor> outputs, Emitter &emit) {
  OpBuilder &builder = emit.builder;
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  for (auto [output, tensor] : llvm::zip_equal(graph.output(), outputs)) {
    emit.location = NameLoc::get(builder.getStringAttr(output.name()));
    values.push_back(emit.value(tensor));
    attributes.push_back(nameAttribute(builder, output.name()));
  }
  func::ReturnOp::create(builder, main.getLoc(), values);
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(), TypeRange(ValueRange(values))));
  main.setAllResultAttrs(attributes);
}

/// Ops that only decided shapes are left without users.
void dropUnusedOps(func::FuncOp main) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(main.getBody().front().without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

/// Throws std::logic_error with the verifier's words if the module is not right: that is a bug here.
void requireVerified(ModuleOp module) {
  std::string messages;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "; ";
    return success();
  });
  if (failed(verify(module)))
    throw std::logic_error("the imported program is wrong, which is a bug in Froe: " + messages);
}

void throwRefusals(const std::vector<GraphImporter::Refusal> &refusals) {
  std::string lines;
  bool allUnsupported = true;
  for (const GraphImporter::Refusal &refusal : refusals) {
    lines += (lines.empty() ? "" : "\n") + refusal.line;
    allUnsupported &= refusal.isUnsupported;
  }
  if (refusals.empty())
    return;
  if (allUnsupported)
    throw Unsupported(lines);
  throw Invalid(lines);
}

OwningOpRef<ModuleOp> importModel(MLIRContext &context, const std::string &path, const ImportOptions &options) {
  ModelFile file = readModel(path);
  const onnx::GraphProto &graph = file.model.graph();
  checkOpsets(file.model);
  if (graph.output().empty())
    throw Invalid("the graph has no outputs");
  std::vector<BoundInput> inputs = bindInputs(context, graph, options);
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(&context, path, 0, 0));
  (*module)->setAttr(FroeDialect::kSource, builder.getStringAttr(path));
  Emitter emit(builder);
  Scope scope;
  func::FuncOp main = openFunction(*module, inputs, scope, emit);
  TensorReader reader(context, file, options.needWeights);
  GraphImporter importer(emit, reader, file.model);
  importer.importGraph(graph, scope);
  throwRefusals(importer.getRefusals());
  closeFunction(main, graph, importer.outputsOf(graph, scope), emit);
  dropUnusedOps(main);
  requireVerified(*module);
  return module;
}

} // namespace

std::expected<OwningOpRef<ModuleOp>, ImportFailure> importOnnx(MLIRContext &context, const std::string &path,
                                                               const ImportOptions &options) {
  context.loadDialect<FroeDialect, func::FuncDialect>();
  try {
    return importModel(context, path, options);
  } catch (const Invalid &problem) {
    return std::unexpected(failure(1, path, problem.what()));
  } catch (const Unsupported &problem) {
    return std::unexpected(failure(2, path, problem.what()));
  } catch (const std::logic_error &bug) {
    return std::unexpected(failure(3, path, bug.what()));
  }
}

} // namespace froe

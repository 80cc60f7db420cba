#include "Inputs.h"
#include "ElementTypes.h"
#include "Failure.h"

#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <set>

using namespace mlir;

namespace froe::importing {

namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

bool isFixed(const Dimension &dim) { return dim.has_dim_value() && dim.dim_value() >= 0; }
bool isNamed(const Dimension &dim) { return dim.has_dim_param() && !dim.dim_param().empty(); }

std::string spellDims(const onnx::TensorShapeProto &shape) {
  std::string text;
  for (const Dimension &dim : shape.dim())
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        isFixed(dim)   ? std::to_string(dim.dim_value())
                        : isNamed(dim) ? dim.dim_param()
                                       : "?");
  return "[" + text + "]";
}

const onnx::TypeProto::Tensor &tensorType(const onnx::ValueInfoProto &input) {
  if (!input.type().has_tensor_type())
    throw Unsupported(fmt::format("input '{}' is no tensor", input.name()));
  if (!input.type().tensor_type().has_shape())
    throw Invalid(fmt::format("input '{}' has no shape; state it by --shape {}=...", input.name(), input.name()));
  return input.type().tensor_type();
}

/// Symbols and what fixes them: --dim, or --shape of an input that has them.
class Symbols {
public:
  Symbols(const ImportOptions &options) : sizes(options.dims) {
    for (const auto &[name, size] : options.dims)
      if (size < 0)
        problems.push_back(fmt::format("dim '{}' cannot be {}", name, size));
  }

  std::vector<std::string> problems;

  /// Learns the symbols of an input whose shape is stated; complains where it contradicts.
  void learn(const onnx::ValueInfoProto &input, const std::vector<int64_t> &stated) {
    const onnx::TensorShapeProto &shape = tensorType(input).shape();
    if (shape.dim_size() != int(stated.size())) {
      problems.push_back(fmt::format("the shape {} of input '{}' does not fit the model's {}", spellShape(stated),
                                     input.name(), spellDims(shape)));
      return;
    }
    for (int i = 0; i < shape.dim_size(); ++i)
      learnDim(input.name(), i, shape.dim(i), stated[i]);
  }

  std::optional<int64_t> sizeOf(const Dimension &dim) {
    if (isFixed(dim))
      return dim.dim_value();
    if (!isNamed(dim))
      return std::nullopt;
    used.insert(dim.dim_param());
    auto found = sizes.find(dim.dim_param());
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  }

  void reportUnused(const ImportOptions &options, const std::set<std::string> &known) {
    for (const auto &[name, size] : options.dims)
      if (!used.contains(name))
        problems.push_back(fmt::format("no input has a dim '{}'; {}", name,
                                       known.empty() ? "the model has no symbolic dims"
                                                     : fmt::format("the model's symbolic dims are {}", list(known))));
  }

  static std::string list(const std::set<std::string> &names) {
    std::string text;
    for (const std::string &name : names)
      text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
    return text;
  }

private:
  void learnDim(const std::string &input, int position, const Dimension &dim, int64_t size) {
    if (size < 0)
      problems.push_back(fmt::format("dim {} of input '{}' cannot be {}", position, input, size));
    else if (isFixed(dim) && dim.dim_value() != size)
      problems.push_back(fmt::format("dim {} of input '{}' is {} in the model, it cannot be {}", position, input,
                                     dim.dim_value(), size));
    else if (isNamed(dim)) {
      used.insert(dim.dim_param());
      auto [entry, isNew] = sizes.insert({dim.dim_param(), size});
      if (!isNew && entry->second != size)
        problems.push_back(fmt::format("dim {} of input '{}' is '{}', which is {}, it cannot be {}", position, input,
                                       dim.dim_param(), entry->second, size));
    }
  }

  std::map<std::string, int64_t> sizes;
  std::set<std::string> used;
};

Scalar parseElement(Type type, llvm::StringRef text, llvm::StringRef input) {
  text = text.trim();
  double real;
  int64_t integer;
  if (isa<FloatType>(type)) {
    if (!text.getAsDouble(real))
      return roundTo(type, realScalar(real));
  } else if (type.isInteger(1) && (text == "true" || text == "false")) {
    return integerScalar(text == "true");
  } else if (uint64_t large; type.isUnsignedInteger(64) && !text.getAsInteger(10, large)) {
    return integerScalar(static_cast<int64_t>(large));
  } else if (!text.getAsInteger(10, integer)) {
    if (roundTo(type, integerScalar(integer)).integer == integer)
      return integerScalar(integer);
  }
  throw Invalid(fmt::format("'{}' is no value of input '{}', which has element type {}", text.str(), input.str(),
                            importing::spell(type)));
}

std::vector<Scalar> parseElements(Type type, llvm::StringRef text, llvm::StringRef input) {
  std::vector<Scalar> elements;
  SmallVector<llvm::StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (llvm::StringRef part : parts)
    elements.push_back(parseElement(type, part, input));
  return elements;
}

/// The size of the only unbound dim follows from the number of elements.
void completeShape(SmallVector<std::optional<int64_t>> &shape, int64_t count) {
  int64_t known = 1;
  for (const std::optional<int64_t> &size : shape)
    known *= size.value_or(1);
  if (llvm::count(shape, std::nullopt) == 1 && known > 0 && count % known == 0)
    *llvm::find(shape, std::nullopt) = count / known;
}

class Binding {
public:
  Binding(MLIRContext &context, const onnx::GraphProto &graph, const ImportOptions &options)
      : context(context), options(options), symbols(options) {
    llvm::StringSet<> initializers;
    for (const onnx::TensorProto &initializer : graph.initializer())
      initializers.insert(initializer.name());
    for (const onnx::ValueInfoProto &input : graph.input())
      if (!initializers.contains(input.name()))
        inputs.push_back(&input);
  }

  std::vector<BoundInput> run() {
    for (const onnx::ValueInfoProto *input : inputs)
      if (auto stated = options.shapes.find(input->name());
          stated != options.shapes.end() && input->type().tensor_type().has_shape())
        symbols.learn(*input, stated->second);
    std::vector<BoundInput> bound;
    for (const onnx::ValueInfoProto *input : inputs)
      bind(*input, bound);
    reportUnknownNames("shape", options.shapes);
    reportUnknownNames("const", options.constants);
    symbols.reportUnused(options, symbolNames());
    reportUnbound();
    if (!symbols.problems.empty())
      throw Invalid(llvm::join(symbols.problems, "\n"));
    return bound;
  }

private:
  void bind(const onnx::ValueInfoProto &input, std::vector<BoundInput> &bound) {
    try {
      Type type = elementType(context, input.type().tensor_type().elem_type());
      SmallVector<std::optional<int64_t>> shape = shapeOf(input);
      std::optional<std::vector<Scalar>> elements;
      if (auto text = options.constants.find(input.name()); text != options.constants.end()) {
        elements = parseElements(type, text->second, input.name());
        completeShape(shape, elements->size());
      }
      if (llvm::is_contained(shape, std::nullopt)) {
        noteUnbound(input, shape);
        return;
      }
      Sizes sizes(llvm::map_range(shape, [](std::optional<int64_t> size) { return *size; }));
      int64_t count = elementCount(sizes, bytesOf(type));
      bound.push_back({input.name(), RankedTensorType::get(sizes, type), std::nullopt, dimNames(input)});
      if (elements && int64_t(elements->size()) != count)
        throw Invalid(fmt::format("input '{}' of shape {} takes {} values, found {}", input.name(), spellShape(sizes),
                                  count, elements->size()));
      if (elements)
        bound.back().constant = Constant::dense(type, sizes, std::move(*elements));
    } catch (const Invalid &problem) {
      symbols.problems.push_back(problem.what());
    }
  }

  static std::vector<std::string> dimNames(const onnx::ValueInfoProto &input) {
    std::vector<std::string> names;
    for (const Dimension &dim : input.type().tensor_type().shape().dim())
      names.push_back(!isFixed(dim) && isNamed(dim) ? dim.dim_param() : "");
    return names;
  }

  SmallVector<std::optional<int64_t>> shapeOf(const onnx::ValueInfoProto &input) {
    auto stated = options.shapes.find(input.name());
    if (stated != options.shapes.end())
      return SmallVector<std::optional<int64_t>>(stated->second.begin(), stated->second.end());
    SmallVector<std::optional<int64_t>> shape;
    for (const Dimension &dim : tensorType(input).shape().dim())
      shape.push_back(symbols.sizeOf(dim));
    return shape;
  }

  void noteUnbound(const onnx::ValueInfoProto &input, llvm::ArrayRef<std::optional<int64_t>> shape) {
    const onnx::TensorShapeProto &declared = tensorType(input).shape();
    bool nameless = false;
    for (int i = 0; i < declared.dim_size(); ++i)
      if (!shape[i]) {
        if (isNamed(declared.dim(i)))
          unboundNames.insert(declared.dim(i).dim_param());
        else
          nameless = true;
      }
    if (nameless)
      symbols.problems.push_back(
          fmt::format("input '{}' has the shape {} with nameless dims; state it by --shape {}={}", input.name(),
                      spellDims(declared), input.name(), example(declared)));
  }

  static std::string example(const onnx::TensorShapeProto &shape) {
    std::string text;
    for (const Dimension &dim : shape.dim())
      text += (text.empty() ? "" : "x") + (isFixed(dim) ? std::to_string(dim.dim_value()) : std::string("N"));
    return text;
  }

  void reportUnbound() {
    if (unboundNames.empty())
      return;
    std::string fix;
    for (const std::string &name : unboundNames)
      fix += fmt::format(" --dim {}=N", name);
    symbols.problems.insert(symbols.problems.begin(),
                            fmt::format("{} {} no size; bind {} by{}", Symbols::list(unboundNames),
                                        unboundNames.size() == 1 ? "has" : "have",
                                        unboundNames.size() == 1 ? "it" : "them", fix));
  }

  template <typename Map> void reportUnknownNames(const char *option, const Map &named) {
    std::set<std::string> known;
    for (const onnx::ValueInfoProto *input : inputs)
      known.insert(input->name());
    for (const auto &[name, value] : named)
      if (!known.contains(name))
        symbols.problems.push_back(
            fmt::format("--{} names '{}', which is no input; the inputs are {}", option, name, Symbols::list(known)));
  }

  std::set<std::string> symbolNames() {
    std::set<std::string> names;
    for (const onnx::ValueInfoProto *input : inputs)
      for (const Dimension &dim : input->type().tensor_type().shape().dim())
        if (!isFixed(dim) && isNamed(dim))
          names.insert(dim.dim_param());
    return names;
  }

  MLIRContext &context;
  const ImportOptions &options;
  Symbols symbols;
  SmallVector<const onnx::ValueInfoProto *> inputs;
  std::set<std::string> unboundNames;
};

} // namespace

std::vector<BoundInput> bindInputs(MLIRContext &context, const onnx::GraphProto &graph, const ImportOptions &options) {
  return Binding(context, graph, options).run();
}

} // namespace froe::importing

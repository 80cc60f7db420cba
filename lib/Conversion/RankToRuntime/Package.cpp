#include "froe/Conversion/Package.h"

using namespace mlir;

namespace froe {
namespace {

constexpr llvm::StringLiteral kAttribute = "rank.package";

/// The sizes and strides of a product as a list of numbers, and back.
struct MatmulFields {
  static SmallVector<int64_t> list(const froe_matmul &matmul) {
    SmallVector<int64_t> fields{matmul.type, matmul.batch_rank};
    visit(matmul, [&](int64_t field) { fields.push_back(field); });
    return fields;
  }
  static std::optional<froe_matmul> read(ArrayRef<int64_t> fields) {
    froe_matmul matmul{};
    if (fields.size() < 2 || fields[1] < 0 || fields[1] > FROE_MAX_BATCH)
      return std::nullopt;
    matmul.type = matmul.c_type = fields[0], matmul.batch_rank = fields[1], matmul.weight = 0;
    size_t count = 2;
    visit(matmul, [&](int64_t) { ++count; });
    if (fields.size() != count)
      return std::nullopt;
    const int64_t *next = fields.begin() + 2;
    visit(matmul, [&](int64_t &field) { field = *next++; });
    return matmul;
  }

private:
  template <class Matmul, class Function> static void visit(Matmul &matmul, Function function) {
    for (auto *field : {&matmul.m, &matmul.n, &matmul.k, &matmul.a_m_stride, &matmul.a_k_stride, &matmul.b_k_stride,
                        &matmul.b_n_stride, &matmul.c_m_stride, &matmul.c_n_stride})
      function(*field);
    for (int i = 0; i < matmul.batch_rank; ++i)
      for (auto *field :
           {&matmul.batch[i], &matmul.a_batch_stride[i], &matmul.b_batch_stride[i], &matmul.c_batch_stride[i]})
        function(*field);
  }
};

class Writer {
public:
  explicit Writer(MLIRContext *context) : builder(context) {}

  DictionaryAttr write(const Package &package) {
    NamedAttrList list;
    list.set("mesh", builder.getStringAttr(package.mesh.str()));
    list.set("plan_hash", builder.getStringAttr(package.planHash));
    list.set("arena_bytes", builder.getI64IntegerAttr(package.arenaBytes));
    list.set("kernels", builder.getI64IntegerAttr(package.kernels));
    list.set("inputs", array(package.inputs, &Writer::port));
    list.set("outputs", array(package.outputs, &Writer::port));
    list.set("weights", array(package.weights, &Writer::weight));
    return list.getDictionary(builder.getContext());
  }

private:
  Builder builder;

  template <class T> ArrayAttr array(const std::vector<T> &items, Attribute (Writer::*write)(const T &)) {
    SmallVector<Attribute> attributes;
    for (const T &item : items)
      attributes.push_back((this->*write)(item));
    return builder.getArrayAttr(attributes);
  }
  Attribute port(const Package::Port &port) {
    return builder.getDictionaryAttr({builder.getNamedAttr("name", builder.getStringAttr(port.name)),
                                      builder.getNamedAttr("type", TypeAttr::get(port.type))});
  }
  Attribute cut(const AxisList &axes) {
    return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(axes.begin(), axes.end()));
  }
  Attribute weight(const Package::Weight &weight) {
    NamedAttrList list;
    list.set("name", builder.getStringAttr(weight.name));
    list.set("file", builder.getStringAttr(weight.file));
    list.set("range", builder.getDenseI64ArrayAttr({weight.offset, weight.length}));
    list.set("stored", TypeAttr::get(weight.stored));
    list.set("global", TypeAttr::get(weight.global));
    list.set("local", TypeAttr::get(weight.local));
    list.set("cuts", array(weight.cuts, &Writer::cut));
    if (weight.packed) {
      list.set("packing", builder.getStringAttr(weight.packed->tag));
      list.set("packed_bytes", builder.getI64IntegerAttr(weight.packed->bytes));
      list.set("matmul", builder.getDenseI64ArrayAttr(MatmulFields::list(weight.packed->matmul)));
    }
    return list.getDictionary(builder.getContext());
  }
};

/// Remembers the first field that is missing or of another kind.
class Reader {
public:
  std::string missing;

  Package package(DictionaryAttr from) {
    Package package;
    std::expected<Mesh, std::string> mesh = Mesh::parse(text(from, "mesh"));
    if (mesh)
      package.mesh = *mesh;
    else
      note("mesh");
    package.planHash = text(from, "plan_hash");
    package.arenaBytes = number(from, "arena_bytes");
    package.kernels = number(from, "kernels");
    for (DictionaryAttr item : dictionaries(from, "inputs"))
      package.inputs.push_back({text(item, "name"), type(item, "type")});
    for (DictionaryAttr item : dictionaries(from, "outputs"))
      package.outputs.push_back({text(item, "name"), type(item, "type")});
    for (DictionaryAttr item : dictionaries(from, "weights"))
      package.weights.push_back(weight(item));
    return package;
  }

private:
  void note(StringRef field) {
    if (missing.empty())
      missing = field.str();
  }
  template <class A> A get(DictionaryAttr from, StringRef field) {
    auto attribute = from.getAs<A>(field);
    if (!attribute)
      note(field);
    return attribute;
  }
  std::string text(DictionaryAttr from, StringRef field) {
    auto attribute = get<StringAttr>(from, field);
    return attribute ? attribute.str() : "";
  }
  int64_t number(DictionaryAttr from, StringRef field) {
    auto attribute = get<IntegerAttr>(from, field);
    return attribute ? attribute.getInt() : 0;
  }
  ArrayRef<int64_t> numbers(DictionaryAttr from, StringRef field) {
    auto attribute = get<DenseI64ArrayAttr>(from, field);
    return attribute ? attribute.asArrayRef() : ArrayRef<int64_t>();
  }
  RankedTensorType type(DictionaryAttr from, StringRef field) {
    auto attribute = get<TypeAttr>(from, field);
    auto type = attribute ? dyn_cast<RankedTensorType>(attribute.getValue()) : RankedTensorType();
    if (!type)
      note(field);
    return type;
  }
  SmallVector<DictionaryAttr> dictionaries(DictionaryAttr from, StringRef field) {
    SmallVector<DictionaryAttr> items;
    auto attribute = get<ArrayAttr>(from, field);
    for (Attribute item : attribute ? attribute.getValue() : ArrayRef<Attribute>())
      if (auto dictionary = dyn_cast<DictionaryAttr>(item))
        items.push_back(dictionary);
      else
        note(field);
    return items;
  }
  Package::Weight weight(DictionaryAttr from) {
    Package::Weight weight;
    weight.name = text(from, "name");
    weight.file = text(from, "file");
    if (ArrayRef<int64_t> range = numbers(from, "range"); range.size() == 2)
      weight.offset = range[0], weight.length = range[1];
    else
      note("range");
    if (auto stored = get<TypeAttr>(from, "stored"))
      weight.stored = stored.getValue();
    weight.global = type(from, "global");
    weight.local = type(from, "local");
    if (auto cuts = get<ArrayAttr>(from, "cuts"))
      for (Attribute cut : cuts)
        if (auto axes = dyn_cast<DenseI64ArrayAttr>(cut))
          weight.cuts.emplace_back(axes.asArrayRef().begin(), axes.asArrayRef().end());
        else
          note("cuts");
    if (from.get("packing")) {
      weight.packed = {text(from, "packing"), uint64_t(number(from, "packed_bytes")), {}};
      if (std::optional<froe_matmul> matmul = MatmulFields::read(numbers(from, "matmul")))
        weight.packed->matmul = *matmul;
      else
        note("matmul");
    }
    return weight;
  }
};

} // namespace

void setPackage(ModuleOp module, const Package &package) {
  module->setAttr(kAttribute, Writer(module.getContext()).write(package));
}

std::expected<Package, std::string> getPackage(ModuleOp module) {
  auto attribute = module->getAttrOfType<DictionaryAttr>(kAttribute);
  if (!attribute)
    return std::unexpected("expected a module of phase 'llvm' with attribute '" + kAttribute.str() + "'");
  Reader reader;
  Package package = reader.package(attribute);
  if (!reader.missing.empty())
    return std::unexpected("attribute '" + kAttribute.str() + "': field '" + reader.missing +
                           "' is missing or malformed");
  return package;
}

} // namespace froe

#include "dialects/Froe/Froe.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace froe {

/// `{"x", "y"}`
static ParseResult parseAxes(AsmParser &parser, AxesAttr &axes) {
  SmallVector<StringAttr> names;
  auto parseName = [&] {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseName))
    return failure();
  axes = AxesAttr::get(parser.getContext(), names);
  return success();
}

static void printAxes(AsmPrinter &printer, AxesAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes.getNames(), printer);
  printer << "}";
}

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  AxesAttr axes;
  if (parser.parseLess() || parseAxes(parser, axes) || parser.parseGreater())
    return {};
  return axes;
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxes(printer, *this);
  printer << ">";
}

/// `, partial<sum>{"z"}`
static ParseResult parsePartial(AsmParser &parser, Reduction &kind, AxesAttr &axes) {
  StringRef word;
  if (parser.parseKeyword("partial") || parser.parseLess())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Reduction> parsed = symbolizeReduction(word);
  if (!parsed)
    return parser.emitError(loc, "expected sum, product, max, min, and, or; found '") << word << "'";
  kind = *parsed;
  return failure(parser.parseGreater() || parseAxes(parser, axes));
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr mesh;
  SmallVector<AxesAttr> dims;
  AxesAttr partial = AxesAttr::get(parser.getContext(), {});
  Reduction kind = Reduction::Sum;
  auto parseDim = [&] { return parseAxes(parser, dims.emplace_back()); };
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parsePartial(parser, kind, partial))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, dims, partial, kind);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMesh() << ", [";
  llvm::interleaveComma(getDims(), printer, [&](AxesAttr dim) { printAxes(printer, dim); });
  printer << "]";
  if (!getPartial().getNames().empty()) {
    printer << ", partial<" << stringifyReduction(getPartialKind()) << ">";
    printAxes(printer, getPartial());
  }
  printer << ">";
}

static AxisList toAxisList(AxesAttr axes, const Mesh &mesh) {
  AxisList list;
  for (StringAttr name : axes.getNames())
    list.push_back(mesh.find(std::string_view(name.getValue())));
  return list;
}

static AxesAttr toAxesAttr(MLIRContext *context, const AxisList &list, const Mesh &mesh) {
  SmallVector<StringAttr> names;
  for (AxisIndex axis : list)
    names.push_back(StringAttr::get(context, mesh.axes[axis].name));
  return AxesAttr::get(context, names);
}

Sharding ShardingAttr::toSharding(const Mesh &mesh) const {
  Sharding sharding;
  for (AxesAttr dim : getDims())
    sharding.dims.push_back(toAxisList(dim, mesh));
  sharding.partial = toAxisList(getPartial(), mesh);
  llvm::sort(sharding.partial);
  sharding.partialKind = static_cast<ReduceKind>(getPartialKind());
  return sharding;
}

ShardingAttr ShardingAttr::get(MLIRContext *context, FlatSymbolRefAttr meshName, const Mesh &mesh,
                               const Sharding &sharding) {
  SmallVector<AxesAttr> dims;
  for (const AxisList &dim : sharding.dims)
    dims.push_back(toAxesAttr(context, dim, mesh));
  return get(context, meshName, dims, toAxesAttr(context, sharding.partial, mesh),
             static_cast<Reduction>(sharding.partialKind));
}

std::optional<std::string> ShardingAttr::check(const Mesh &mesh, int64_t rank) const {
  SmallVector<StringAttr> names(getPartial().getNames());
  for (AxesAttr dim : getDims())
    names.append(dim.getNames().begin(), dim.getNames().end());
  for (StringAttr name : names)
    if (mesh.find(std::string_view(name.getValue())) < 0)
      return ("mesh '" + getMesh().getValue() + "' has no axis '" + name.getValue() + "'").str();
  return toSharding(mesh).check(mesh, rank);
}

} // namespace froe

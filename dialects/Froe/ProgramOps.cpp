#include "dialects/Froe/Froe.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace froe {

// froe.mesh @mesh ["x" = 2, "y" = 4]

ParseResult MeshOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr symbol;
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&] {
    std::string name;
    if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(sizes.emplace_back()))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseSymbolName(symbol, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  Builder &builder = parser.getBuilder();
  state.getOrAddProperties<Properties>().axis_names = builder.getArrayAttr(names);
  state.getOrAddProperties<Properties>().axis_sizes = builder.getDenseI64ArrayAttr(sizes);
  return success();
}

void MeshOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " [";
  llvm::interleaveComma(llvm::zip(getAxisNames(), getAxisSizes()), printer,
                        [&](auto axis) { printer << std::get<0>(axis) << " = " << std::get<1>(axis); });
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getAxisNamesAttrName(), getAxisSizesAttrName()});
}

LogicalResult MeshOp::verify() {
  if (getAxisNames().size() != getAxisSizes().size())
    return emitOpError("expected as many sizes as axes, found ")
           << getAxisSizes().size() << " and " << getAxisNames().size();
  std::string text;
  for (auto [name, size] : llvm::zip(getAxisNames().getAsValueRange<StringAttr>(), getAxisSizes()))
    text += (text.empty() ? "" : ",") + name.str() + "=" + std::to_string(size);
  if (auto mesh = Mesh::parse(text); !mesh)
    return emitOpError(mesh.error());
  return success();
}

Mesh MeshOp::getMesh() {
  Mesh mesh;
  for (auto [name, size] : llvm::zip(getAxisNames().getAsValueRange<StringAttr>(), getAxisSizes()))
    mesh.axes.push_back({name.str(), size});
  return mesh;
}

MeshOp meshOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  auto meshes = module.getOps<MeshOp>();
  return meshes.empty() ? MeshOp() : *meshes.begin();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

bool ConstantOp::isSplat() {
  auto elements = dyn_cast<DenseElementsAttr>(getValue());
  return elements && elements.isSplat();
}

Type WeightOp::getStoredType() { return getStored().value_or(getResult().getType().getElementType()); }

LogicalResult WeightOp::verify() {
  if (getOffset() < 0)
    return emitOpError("expected an offset of at least 0, found ") << getOffset();
  // A rank's weight is a block of the whole one, whose bytes the file holds.
  auto whole = (*this)->getAttrOfType<TypeAttr>(FroeDialect::kGlobalType);
  auto type = cast<RankedTensorType>(whole ? whole.getValue() : getResult().getType());
  Type stored = getStoredType();
  if (stored != type.getElementType() &&
      !(stored.isF32() && (type.getElementType().isF16() || type.getElementType().isBF16())))
    return emitOpError("expected elements that are stored as f32 and become f16 or bf16, found ")
           << stored << " and " << type.getElementType();
  int64_t bytes = type.getNumElements() * llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
  if (getLength() != bytes)
    return emitOpError("expected a length of ") << bytes << " bytes for " << type << ", found " << getLength();
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t rank = getResult().getType().getRank();
  if (getDim() < 0 || getDim() >= rank)
    return emitOpError("expected a dim below ") << rank << ", found " << getDim();
  return success();
}

} // namespace froe

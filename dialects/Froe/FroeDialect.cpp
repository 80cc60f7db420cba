#include "dialects/Froe/Froe.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialects/Froe/FroeDialect.cpp.inc"
#include "dialects/Froe/FroeEnums.cpp.inc"
#include "dialects/Froe/ShardableOpInterface.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Froe/FroeAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Froe/FroeOps.cpp.inc"

namespace froe {

namespace {

/// Lets dumps name shardings, which are long and repeat, once at the top: `#cut_x_r = #froe.sharding<@mesh, [{"x"},
/// {}]>`.
struct ShardingAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    auto sharding = dyn_cast<ShardingAttr>(attribute);
    if (!sharding)
      return AliasResult::NoAlias;
    os << "cut";
    for (AxesAttr dim : sharding.getDims()) {
      os << '_' << (dim.getNames().empty() ? "r" : "");
      for (StringAttr axis : dim.getNames())
        os << axis.getValue();
    }
    if (!sharding.getPartial().getNames().empty())
      os << "_partial";
    return AliasResult::OverridableAlias;
  }
};

bool isProgramElement(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isSignlessInteger(1))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSigned() && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
}

} // namespace

void FroeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Froe/FroeAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Froe/FroeOps.cpp.inc"
      >();
  addInterfaces<ShardingAliases>();
}

Operation *FroeDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, type, elements).getOperation()
                                                : nullptr;
}

bool isProgramTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !isProgramElement(tensor.getElementType()))
    return false;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  return llvm::all_of(tensor.getShape(), [&](int64_t size) { return !llvm::MulOverflow(bytes, size, bytes); });
}

std::vector<std::vector<int64_t>> shapesOf(ValueRange values) {
  std::vector<std::vector<int64_t>> shapes;
  for (Value value : values)
    shapes.push_back(cast<RankedTensorType>(value.getType()).getShape().vec());
  return shapes;
}

Rule parseShardingRule(Operation *op, StringRef text) {
  auto rule = Rule::parse(std::string_view(text), shapesOf(op->getOperands()), shapesOf(op->getResults()));
  if (!rule)
    llvm::report_fatal_error("sharding rule of " + op->getName().getStringRef() + ": " + Twine(rule.error()));
  return *std::move(rule);
}

} // namespace froe

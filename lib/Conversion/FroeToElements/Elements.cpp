#include "lib/Conversion/FroeToElements/Elements.h"

#include "lib/Conversion/FroeToElements/Lower.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace froe {
namespace {

constexpr uintptr_t kElement = 100; // index arithmetic has the tags below

bool isNarrowFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

} // namespace

Type scalarType(Type elementType) {
  if (isNarrowFloat(elementType))
    return Float32Type::get(elementType.getContext());
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

Type memoryType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  if (elementType.isBF16())
    return IntegerType::get(elementType.getContext(), 16);
  return isa<FloatType>(elementType) ? elementType : scalarType(elementType);
}

static Memo::Key elementKey(Value tensor, Indices indices) {
  Memo::Key key{kElement, Memo::key(tensor)};
  for (Value i : indices)
    key.push_back(Memo::key(i));
  return key;
}

void Elements::remember(Value tensor, Indices indices, Value element) {
  memo.insert(elementKey(tensor, indices), element);
}

Value Elements::at(Value tensor, Indices indices) {
  Memo::Key key = elementKey(tensor, indices);
  if (Value element = memo.find(key))
    return element;
  Value element;
  if (auto source = sources.find(tensor); source != sources.end()) {
    element = source->second(indices);
  } else {
    element = lowerElement(tensor.getDefiningOp(), *this, indices);
    if (onElement)
      onElement(tensor, indices, element);
  }
  memo.insert(std::move(key), element);
  return element;
}

Value Elements::branch(Value condition, llvm::function_ref<Value()> thenValue, llvm::function_ref<Value()> elseValue) {
  Value chosen[2];
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  Block *regions[2] = {new Block, new Block};
  for (int side : {0, 1}) {
    Memo::Scope scope(memo);
    builder.setInsertionPointToStart(regions[side]);
    chosen[side] = side == 0 ? thenValue() : elseValue();
    scf::YieldOp::create(builder, chosen[side]);
  }
  builder.restoreInsertionPoint(here);
  auto branch = scf::IfOp::create(builder, TypeRange(chosen[0].getType()), condition, /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch.getThenRegion().push_back(regions[0]);
  branch.getElseRegion().push_back(regions[1]);
  return branch.getResult(0);
}

void Elements::raiseIf(Value condition, int32_t fault) {
  Type i32 = builder.getI32Type();
  Value bits = arith::SelectOp::create(builder, condition, arith::ConstantIntOp::create(builder, fault, 32),
                                       arith::ConstantIntOp::create(builder, 0, 32));
  Value old = LLVM::LoadOp::create(builder, i32, faultFlags);
  LLVM::StoreOp::create(builder, arith::OrIOp::create(builder, old, bits), faultFlags);
}

unsigned Elements::alignmentOf(Type memory, Value offset) const {
  if (bufferAlignment == 0)
    return 0;
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  return std::gcd(index.divisor(offset) * bytes, bufferAlignment);
}

Value Elements::load(Value pointer, Type elementType, Value offset) {
  Type memory = memoryType(elementType);
  Value place = LLVM::GEPOp::create(builder, pointer.getType(), memory, pointer, ValueRange{offset},
                                    LLVM::GEPNoWrapFlags::inbounds);
  Value element = LLVM::LoadOp::create(builder, memory, place, alignmentOf(memory, offset));
  if (isNarrowFloat(elementType))
    return widenFloat(builder, element, elementType);
  if (elementType.isInteger(1))
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, element,
                                 arith::ConstantIntOp::create(builder, 0, 8));
  return element;
}

void Elements::store(Value element, Value pointer, Type elementType, Value offset) {
  Type memory = memoryType(elementType);
  if (isNarrowFloat(elementType))
    element = narrowFloat(builder, element, elementType);
  if (elementType.isInteger(1))
    element = arith::ExtUIOp::create(builder, memory, element);
  Value place = LLVM::GEPOp::create(builder, pointer.getType(), memory, pointer, ValueRange{offset},
                                    LLVM::GEPNoWrapFlags::inbounds);
  LLVM::StoreOp::create(builder, element, place, alignmentOf(memory, offset));
}

Value Elements::constantMemory(ElementsAttr elements) {
  Value &address = constants[elements];
  if (address)
    return address;
  Type elementType = elements.getElementType();
  Type memory = memoryType(elementType);
  SmallVector<Attribute> values;
  for (Attribute value : elements.getValues<Attribute>())
    if (auto integer = dyn_cast<IntegerAttr>(value))
      values.push_back(IntegerAttr::get(memory, integer.getValue().zextOrTrunc(memory.getIntOrFloatBitWidth())));
    else if (elementType.isBF16())
      values.push_back(IntegerAttr::get(memory, cast<FloatAttr>(value).getValue().bitcastToAPInt()));
    else
      values.push_back(value);
  Operation *function = entry->getParentOp(), *module = SymbolTable::getNearestSymbolTable(function);
  while (function->getParentOp() != module)
    function = function->getParentOp();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  std::string name;
  for (int i = 0; name.empty() || SymbolTable::lookupSymbolIn(module, name); ++i)
    name = (SymbolTable::getSymbolName(function).getValue() + ".constant_" + Twine(i)).str();
  auto initial = DenseElementsAttr::get(RankedTensorType::get({int64_t(values.size())}, memory), values);
  auto global = LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(memory, values.size()), /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, initial, /*alignment=*/64, constantSpace);
  builder.setInsertionPointToStart(entry);
  return address = LLVM::AddressOfOp::create(builder, global);
}

Value scalarConstant(ImplicitLocOpBuilder &builder, Type elementType, TypedAttr value) {
  Type scalar = scalarType(elementType);
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return arith::ConstantOp::create(builder, cast<TypedAttr>(Attribute(IntegerAttr::get(scalar, integer.getValue()))));
  APFloat number = cast<FloatAttr>(value).getValue();
  bool losesInfo;
  number.convert(cast<FloatType>(scalar).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(builder, cast<TypedAttr>(Attribute(FloatAttr::get(scalar, number))));
}

Value scalarConstant(ImplicitLocOpBuilder &builder, Type elementType, double value) {
  Type scalar = scalarType(elementType);
  if (isa<FloatType>(scalar))
    return arith::ConstantOp::create(builder, builder.getFloatAttr(scalar, value));
  return arith::ConstantOp::create(builder, builder.getIntegerAttr(scalar, int64_t(value)));
}

} // namespace froe

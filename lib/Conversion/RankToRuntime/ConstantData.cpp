#include "ConstantData.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace froe {

std::string bytesOf(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    return {data.data(), data.size()};
  }
  auto dense = cast<DenseElementsAttr>(elements);
  std::string bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return {raw.data(), raw.size()};
  bytes.reserve(raw.size() * dense.getNumElements());
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    bytes.append(raw.data(), raw.size());
  return bytes;
}

ConstantData::ConstantData(ModuleOp module) : builder(module.getBodyRegion()), loc(module.getLoc()) {
  builder.setInsertionPointToStart(module.getBody());
}

StringAttr ConstantData::nextName() { return builder.getStringAttr("froe.data." + std::to_string(next++)); }

StringAttr ConstantData::text(StringRef text) { return bytes(std::string(text) + '\0', 1); }

StringAttr ConstantData::bytes(StringRef bytes, int64_t alignment) {
  StringAttr &name = known[{bytes.str(), alignment}];
  if (name)
    return name;
  name = nextName();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name.getValue(),
                         builder.getStringAttr(bytes), alignment);
  return name;
}

StringAttr ConstantData::elements(Location loc, ElementsAttr elements) {
  std::string bytes = bytesOf(elements);
  StringAttr name = nextName();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  auto tensor = RankedTensorType::get({int64_t(bytes.size())}, builder.getI8Type());
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name.getValue(),
                         DenseElementsAttr::getFromRawBuffer(tensor, bytes), /*alignment=*/64);
  return name;
}

StringAttr ConstantData::record(const Record &record, StringRef givenName) {
  StringAttr name = givenName.empty() ? nextName() : builder.getStringAttr(givenName);
  // A packed struct of byte runs and pointers: the offsets are the C compiler's, whatever LLVM thinks of alignment.
  auto pointers = record.pointers;
  llvm::sort(pointers, llvm::less_first());
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types;
  SmallVector<std::variant<StringRef, StringAttr>> fields;
  size_t end = 0;
  auto addBytes = [&](size_t until) {
    if (until == end)
      return;
    fields.push_back(StringRef(record.bytes).slice(end, until));
    types.push_back(LLVM::LLVMArrayType::get(builder.getI8Type(), until - end));
  };
  for (auto [offset, symbol] : pointers) {
    addBytes(offset);
    fields.push_back(symbol);
    types.push_back(pointerType);
    end = offset + sizeof(void *);
  }
  addBytes(record.bytes.size());

  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types, /*isPacked=*/true);
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       givenName.empty() ? LLVM::Linkage::Internal : LLVM::Linkage::External,
                                       name.getValue(), Attribute(), alignof(std::max_align_t));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, field] : llvm::enumerate(fields)) {
    Value part;
    if (auto *bytes = std::get_if<StringRef>(&field))
      part = LLVM::ConstantOp::create(builder, loc, types[i], builder.getStringAttr(*bytes));
    else
      part = LLVM::AddressOfOp::create(builder, loc, pointerType, std::get<StringAttr>(field).getValue());
    value = LLVM::InsertValueOp::create(builder, loc, value, part, ArrayRef<int64_t>{int64_t(i)});
  }
  LLVM::ReturnOp::create(builder, loc, value);
  return name;
}

} // namespace froe

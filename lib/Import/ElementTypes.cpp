#include "ElementTypes.h"
#include "Failure.h"

#include "onnx-ml.pb.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

static Type integer(MLIRContext &context, unsigned width, bool isUnsigned = false) {
  return IntegerType::get(&context, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
}

Type elementType(MLIRContext &context, int32_t onnxType) {
  using onnx::TensorProto;
  switch (onnxType) {
  case TensorProto::FLOAT:
    return Float32Type::get(&context);
  case TensorProto::DOUBLE:
    return Float64Type::get(&context);
  case TensorProto::FLOAT16:
    return Float16Type::get(&context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(&context);
  case TensorProto::BOOL:
    return integer(context, 1);
  case TensorProto::INT8:
    return integer(context, 8);
  case TensorProto::INT16:
    return integer(context, 16);
  case TensorProto::INT32:
    return integer(context, 32);
  case TensorProto::INT64:
    return integer(context, 64);
  case TensorProto::UINT8:
    return integer(context, 8, true);
  case TensorProto::UINT16:
    return integer(context, 16, true);
  case TensorProto::UINT32:
    return integer(context, 32, true);
  case TensorProto::UINT64:
    return integer(context, 64, true);
  default:
    throw Unsupported(fmt::format("element type {} is not supported", onnxTypeName(onnxType)));
  }
}

std::string onnxTypeName(int32_t onnxType) {
  if (onnx::TensorProto::DataType_IsValid(onnxType))
    return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(onnxType));
  return std::to_string(onnxType);
}

int64_t bytesOf(Type elementType) { return (elementType.getIntOrFloatBitWidth() + 7) / 8; }

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

int64_t elementCount(llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  int64_t count = elementBytes;
  for (int64_t size : shape)
    if (size != 0 && llvm::MulOverflow(count, size, count))
      throw Invalid(
          fmt::format("a tensor of shape {} is too large: its size in bytes overflows 63 bits", spellShape(shape)));
  return llvm::is_contained(shape, 0) ? 0 : count / elementBytes;
}

std::string spellShape(llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? "scalar"
                       : llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

} // namespace froe::importing

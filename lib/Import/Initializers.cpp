#include "Initializers.h"
#include "ElementTypes.h"
#include "ExternalData.h"
#include "Failure.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

/// Floats up to this many are constants rather than weights; of integers and booleans, which decide shapes and masks,
/// more.
static constexpr int64_t kSmallFloats = 128, kSmallIntegers = 64 * 1024;

static Sizes shapeOf(const onnx::TensorProto &tensor) {
  Sizes shape(tensor.dims().begin(), tensor.dims().end());
  for (int64_t size : shape)
    if (size < 0)
      throw Invalid(fmt::format("tensor '{}' has a negative dim, {}", tensor.name(), size));
  return shape;
}

/// One element from its little-endian bytes.
static Scalar decode(Type type, const char *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, bytesOf(type));
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return type.isInteger(1) ? integerScalar(bits != 0) : roundTo(type, integerScalar(static_cast<int64_t>(bits)));
  llvm::APFloat number(floatType.getFloatSemantics(), llvm::APInt(floatType.getWidth(), bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return realScalar(number.convertToDouble());
}

static std::vector<Scalar> decodeAll(Type type, llvm::StringRef bytes) {
  std::vector<Scalar> elements;
  for (size_t at = 0; at + bytesOf(type) <= bytes.size(); at += bytesOf(type))
    elements.push_back(decode(type, bytes.data() + at));
  return elements;
}

/// Half floats lie in int32_data as their bits; integers and booleans as their values.
static std::vector<Scalar> typedElements(const onnx::TensorProto &tensor, Type type) {
  std::vector<Scalar> elements;
  for (float value : tensor.float_data())
    elements.push_back(realScalar(value));
  for (double value : tensor.double_data())
    elements.push_back(realScalar(value));
  for (int32_t value : tensor.int32_data())
    elements.push_back(isa<FloatType>(type) ? decode(type, reinterpret_cast<const char *>(&value))
                                            : roundTo(type, integerScalar(value)));
  for (int64_t value : tensor.int64_data())
    elements.push_back(roundTo(type, integerScalar(value)));
  for (uint64_t value : tensor.uint64_data())
    elements.push_back(roundTo(type, integerScalar(static_cast<int64_t>(value))));
  return elements;
}

Constant inlineConstant(MLIRContext &context, const onnx::TensorProto &tensor) {
  Type type = elementType(context, tensor.data_type());
  Sizes shape = shapeOf(tensor);
  int64_t count = elementCount(shape, bytesOf(type));
  if (tensor.has_raw_data() && int64_t(tensor.raw_data().size()) != count * bytesOf(type))
    throw Invalid(fmt::format("tensor '{}' of shape {} has {} bytes of data, expected {}", tensor.name(),
                              spellShape(shape), tensor.raw_data().size(), count * bytesOf(type)));
  std::vector<Scalar> elements =
      tensor.has_raw_data() ? decodeAll(type, tensor.raw_data()) : typedElements(tensor, type);
  if (int64_t(elements.size()) != count)
    throw Invalid(fmt::format("tensor '{}' of shape {} has {} elements, expected {}", tensor.name(), spellShape(shape),
                              elements.size(), count));
  return Constant::dense(type, shape, std::move(elements));
}

WeightPlace TensorReader::externalPlace(const onnx::TensorProto &tensor, llvm::StringRef name, int64_t bytes) const {
  ExternalData data = readExternalData(tensor, bytes);
  if (std::optional<std::string> problem = checkExternalFile(file.folder, data, needWeights))
    throw Invalid(fmt::format("tensor '{}': {}", name.str(), *problem));
  return {name.str(), data.location, data.offset, data.length};
}

WeightPlace TensorReader::placeOf(const onnx::TensorProto &tensor, llvm::StringRef name, int64_t bytes) const {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return externalPlace(tensor, name, bytes);
  std::optional<ByteRange> range = ModelFile::elementsOf(tensor);
  if (!range)
    throw Unsupported(fmt::format(
        "tensor '{}' of {} bytes stores its elements as numbers of variable length; save the model with raw data",
        name.str(), bytes));
  if (range->length != bytes)
    throw Invalid(fmt::format("tensor '{}' has {} bytes of data, expected {}", name.str(), range->length, bytes));
  return {name.str(), llvm::sys::path::filename(file.path).str(), range->offset, range->length};
}

std::optional<Constant> TensorReader::readSmall(RankedTensorType type, const WeightPlace &place) const {
  llvm::SmallString<256> path(file.folder);
  llvm::sys::path::append(path, place.file);
  auto bytes = llvm::MemoryBuffer::getFileSlice(path, place.length, place.offset);
  if (!bytes)
    return std::nullopt; // only where weights need not be there
  return Constant::dense(type.getElementType(), type.getShape(),
                         decodeAll(type.getElementType(), (*bytes)->getBuffer()));
}

Tensor TensorReader::read(const onnx::TensorProto &tensor, llvm::StringRef name) const {
  Type type = elementType(context, tensor.data_type());
  Sizes shape = shapeOf(tensor);
  int64_t count = elementCount(shape, bytesOf(type)), bytes = count * bytesOf(type);
  bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  bool isSmall = count <= (isa<FloatType>(type) ? kSmallFloats : kSmallIntegers);
  auto result = std::make_shared<TensorState>();
  result->type = RankedTensorType::get(shape, type);
  if (isSmall && !isExternal && !ModelFile::elementsOf(tensor)) {
    result->constant = inlineConstant(context, tensor);
    return result;
  }
  WeightPlace place = placeOf(tensor, name, bytes);
  if (isSmall)
    result->constant = readSmall(result->type, place);
  if (!result->constant)
    result->weight = std::move(place);
  return result;
}

} // namespace froe::importing

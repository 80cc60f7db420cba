#include "Constant.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace froe::importing {

Scalar integerScalar(int64_t value) { return Scalar{.integer = value}; }
Scalar realScalar(double value) { return Scalar{.real = value}; }
Scalar scalarOf(Type elementType, double value) {
  return roundTo(elementType,
                 isa<FloatType>(elementType) ? realScalar(value) : integerScalar(static_cast<int64_t>(value)));
}

static llvm::APFloat toFloat(FloatType type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

Scalar roundTo(Type elementType, Scalar value) {
  if (elementType.isF64())
    return value;
  if (elementType.isF32())
    return realScalar(static_cast<float>(value.real));
  if (auto type = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat number = toFloat(type, value.real);
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return realScalar(number.convertToDouble());
  }
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 1)
    return integerScalar(value.integer & 1);
  if (width == 64)
    return value;
  uint64_t bits = static_cast<uint64_t>(value.integer) << (64 - width);
  bool isUnsigned = elementType.isUnsignedInteger();
  return integerScalar(isUnsigned ? static_cast<int64_t>(bits >> (64 - width))
                                  : static_cast<int64_t>(bits) >> (64 - width));
}

void forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Constant Constant::dense(Type elementType, ArrayRef<int64_t> shape, std::vector<Scalar> elements) {
  assert(product(shape) == static_cast<int64_t>(elements.size()) && "one element an index");
  auto isFirst = [&](Scalar element) { return element.integer == elements.front().integer; }; // bit for bit
  if (elements.size() > 1 && llvm::all_of(elements, isFirst))
    return splat(elementType, shape, elements.front());
  Constant constant;
  constant.type = elementType;
  constant.sizes.assign(shape.begin(), shape.end());
  constant.strides.resize(shape.size());
  int64_t stride = 1;
  for (int64_t dim = constant.rank() - 1; dim >= 0; stride *= shape[dim--])
    constant.strides[dim] = stride;
  constant.buffer = std::make_shared<std::vector<Scalar>>(std::move(elements));
  return constant;
}

Constant Constant::splat(Type elementType, ArrayRef<int64_t> shape, Scalar value) {
  return dense(elementType, {}, {value}).broadcast({}, shape);
}

Constant Constant::integers(MLIRContext *context, ArrayRef<int64_t> values) {
  std::vector<Scalar> elements;
  for (int64_t value : values)
    elements.push_back(integerScalar(value));
  return dense(IntegerType::get(context, 64), {static_cast<int64_t>(values.size())}, std::move(elements));
}

Constant Constant::concat(std::vector<Constant> parts, int64_t dim) {
  Constant whole;
  whole.type = parts.front().type;
  whole.sizes = parts.front().sizes;
  whole.sizes[dim] = 0;
  for (const Constant &part : parts)
    whole.sizes[dim] += part.sizes[dim];
  whole.strides.assign(whole.sizes.size(), 1); // never repeats as far as we know
  whole.parts = std::move(parts);
  whole.partDim = dim;
  return whole;
}

int64_t Constant::count() const { return product(sizes); }

Constant Constant::compact() const {
  if (inParts())
    return *this;
  Constant result = *this;
  for (int64_t dim = 0; dim < rank(); ++dim)
    if (strides[dim] == 0 && sizes[dim] > 0)
      result.sizes[dim] = 1;
  return result;
}

Scalar Constant::at(ArrayRef<int64_t> index) const {
  if (inParts()) {
    SmallVector<int64_t> inner(index);
    for (const Constant &part : parts) {
      if (inner[partDim] < part.sizes[partDim])
        return part.at(inner);
      inner[partDim] -= part.sizes[partDim];
    }
  }
  int64_t position = offset;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    position += i * stride;
  return (*buffer)[position];
}

std::vector<Scalar> Constant::flatten() const {
  std::vector<Scalar> elements;
  elements.reserve(count());
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) { elements.push_back(at(index)); });
  return elements;
}

std::vector<int64_t> Constant::flattenIntegers() const {
  std::vector<int64_t> values;
  for (Scalar element : flatten())
    values.push_back(element.integer);
  return values;
}

Constant Constant::settled() const { return inParts() ? dense(type, sizes, flatten()) : *this; }

Constant Constant::transposed(ArrayRef<int64_t> permutation) const {
  if (inParts())
    return settled().transposed(permutation);
  Constant result = *this;
  for (auto [dim, source] : llvm::enumerate(permutation)) {
    result.sizes[dim] = sizes[source];
    result.strides[dim] = strides[source];
  }
  return result;
}

Constant Constant::broadcast(ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) const {
  if (inParts())
    return settled().broadcast(dims, shape);
  Constant result = *this;
  result.sizes.assign(shape.begin(), shape.end());
  result.strides.assign(shape.size(), 0);
  for (auto [source, dim] : llvm::enumerate(dims))
    result.strides[dim] = sizes[source] == 1 ? 0 : strides[source];
  return result;
}

Constant Constant::sliced(ArrayRef<int64_t> starts, ArrayRef<int64_t> steps, ArrayRef<int64_t> shape) const {
  if (inParts())
    return settled().sliced(starts, steps, shape);
  Constant result = *this;
  for (int64_t dim = 0; dim < rank(); ++dim) {
    result.offset += starts[dim] * strides[dim];
    result.strides[dim] = strides[dim] * steps[dim];
    result.sizes[dim] = shape[dim];
  }
  return result;
}

Constant Constant::reshaped(ArrayRef<int64_t> shape) const {
  if (inParts())
    return settled().reshaped(shape);
  // Dims of size 1 come and go without a copy.
  SmallVector<int64_t> longSizes, longStrides, newLong;
  for (int64_t dim = 0; dim < rank(); ++dim)
    if (sizes[dim] != 1) {
      longSizes.push_back(sizes[dim]);
      longStrides.push_back(strides[dim]);
    }
  llvm::copy_if(shape, std::back_inserter(newLong), [](int64_t size) { return size != 1; });
  if (newLong != longSizes)
    return dense(type, shape, flatten());
  Constant result = *this;
  result.sizes.assign(shape.begin(), shape.end());
  result.strides.assign(shape.size(), 0);
  int64_t next = 0;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      result.strides[dim] = longStrides[next++];
  return result;
}

DenseElementsAttr Constant::attribute() const {
  auto tensorType = RankedTensorType::get(sizes, type);
  std::vector<Scalar> elements = flatten();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    auto numbers = llvm::map_to_vector(elements, [&](Scalar s) { return toFloat(floatType, s.real); });
    return DenseElementsAttr::get(tensorType, ArrayRef<llvm::APFloat>(numbers));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  auto numbers = llvm::map_to_vector(
      elements, [&](Scalar s) { return llvm::APInt(64, static_cast<uint64_t>(s.integer)).trunc(width); });
  return DenseElementsAttr::get(tensorType, ArrayRef<llvm::APInt>(numbers));
}

} // namespace froe::importing

// Between tensors of the model and values of the program.
#include "Emitter.h"
#include "ElementTypes.h"
#include "Failure.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

int64_t positiveDim(int64_t dim, int64_t rank, llvm::StringRef what) {
  if (dim < -rank || dim >= rank)
    throw Invalid(fmt::format("{} {} is outside [{}, {}], the dims of a tensor of rank {}", what.str(), dim, -rank,
                              rank - 1, rank));
  return dim < 0 ? dim + rank : dim;
}

Sizes broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Sizes result(std::max(a.size(), b.size()), 1);
  for (size_t back = 1; back <= result.size(); ++back) {
    int64_t m = back <= a.size() ? a[a.size() - back] : 1, n = back <= b.size() ? b[b.size() - back] : 1;
    if (m != n && m != 1 && n != 1)
      throw Invalid(fmt::format("shapes {} and {} do not broadcast", spellShape(a), spellShape(b)));
    result[result.size() - back] = m == 1 ? n : m;
  }
  elementCount(result, 8);
  return result;
}

Tensor Emitter::wrap(Value value) {
  auto tensor = std::make_shared<TensorState>();
  tensor->type = cast<RankedTensorType>(value.getType());
  tensor->value = value;
  return tensor;
}

Tensor Emitter::known(Constant constant) {
  auto tensor = std::make_shared<TensorState>();
  tensor->type = RankedTensorType::get(constant.shape(), constant.elementType());
  tensor->constant = std::move(constant);
  return tensor;
}

Value Emitter::value(const Tensor &tensor) {
  if (tensor->value)
    return tensor->value;
  if (tensor->weight) {
    const WeightPlace &place = *tensor->weight;
    Location named = NameLoc::get(builder.getStringAttr(place.name));
    tensor->value = WeightOp::create(builder, named, tensor->type, place.name, place.file, place.offset, place.length);
  } else {
    tensor->value = emitConstant(*tensor->constant);
  }
  return tensor->value;
}

/// Whether `constant` counts 0, 1, … along its only dim, and is long enough to be worth saying so.
static bool isLongIota(const Constant &constant) {
  if (constant.rank() != 1 || constant.isFloat() || constant.count() <= 16)
    return false;
  std::vector<int64_t> values = constant.flattenIntegers();
  for (int64_t i = 0; i < constant.count(); ++i)
    if (values[i] != i)
      return false;
  return true;
}

/// Dims that only repeat become a froe.broadcast, so that the constant holds distinct elements only.
Value Emitter::emitConstant(const Constant &constant) {
  if (constant.inParts()) {
    SmallVector<Tensor> parts;
    for (const Constant &part : constant.getParts())
      parts.push_back(known(part));
    return ConcatOp::create(builder, location, RankedTensorType::get(constant.shape(), constant.elementType()),
                            llvm::map_to_vector(parts, [&](const Tensor &part) { return value(part); }),
                            constant.getPartDim());
  }
  Constant compact = constant.compact();
  if (compact.count() != constant.count()) {
    Sizes kept, dims;
    for (int64_t dim = 0; dim < compact.rank(); ++dim)
      if (compact.shape()[dim] != 1) {
        kept.push_back(compact.shape()[dim]);
        dims.push_back(dim);
      }
    return value(broadcast(wrap(emitConstant(compact.reshaped(kept))), dims, constant.shape()));
  }
  if (isLongIota(constant))
    return IotaOp::create(builder, location, RankedTensorType::get(constant.shape(), constant.elementType()), 0);
  return ConstantOp::create(builder, location, RankedTensorType::get(constant.shape(), constant.elementType()),
                            constant.attribute());
}

Tensor Emitter::fold(llvm::ArrayRef<Tensor> operands, Type elementType, ScalarRule rule) {
  for (const Tensor &operand : operands)
    if (!operand->constant || (operand->constant->inParts() && operand->constant->count() > kFoldLimit))
      return nullptr;
  SmallVector<Constant> constants;
  for (const Tensor &operand : operands)
    constants.push_back(operand->constant->settled());
  llvm::ArrayRef<int64_t> shape = operands.front()->shape();
  Sizes distinct(shape);
  for (size_t dim = 0; dim < distinct.size(); ++dim)
    if (distinct[dim] > 1 && llvm::all_of(constants, [&](const Constant &c) { return c.repeats(dim); }))
      distinct[dim] = 1;
  if (elementCount(distinct) > kFoldLimit)
    return nullptr;
  std::vector<Scalar> elements;
  SmallVector<Scalar> arguments(operands.size());
  forEachIndex(distinct, [&](llvm::ArrayRef<int64_t> index) {
    for (auto [argument, constant] : llvm::zip_equal(arguments, constants))
      argument = constant.at(index);
    elements.push_back(roundTo(elementType, rule(arguments)));
  });
  Sizes dims = counting(0, shape.size());
  return known(Constant::dense(elementType, distinct, std::move(elements)).broadcast(dims, shape));
}

} // namespace froe::importing

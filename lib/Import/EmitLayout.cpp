#include "ElementTypes.h"
#include "Emitter.h"
#include "Failure.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

/// Constants larger than this are not copied to another layout; the program does it.
static constexpr int64_t kCopyLimit = 1 << 20;

static bool mayCopy(const Tensor &x) { return x->constant && x->constant->count() <= kCopyLimit; }
static bool mayView(const Tensor &x) { return x->constant && (!x->constant->inParts() || mayCopy(x)); }

static RankedTensorType typeLike(const Tensor &x, llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, x->elementType());
}

Tensor Emitter::reshape(Tensor x, llvm::ArrayRef<int64_t> shape) {
  if (x->shape() == shape)
    return x;
  if (elementCount(shape) != elementCount(x->shape()))
    throw Invalid(fmt::format("a tensor of shape {} has not the elements of shape {}", spellShape(x->shape()),
                              spellShape(shape)));
  if (x->constant && x->constant->compact().count() == 1 && x->constant->count() > 0)
    return known(Constant::splat(x->elementType(), shape, x->constant->compact().flatten()[0]));
  if (mayCopy(x))
    return known(x->constant->reshaped(shape));
  return wrap(ReshapeOp::create(builder, location, typeLike(x, shape), value(x)));
}

Tensor Emitter::transpose(Tensor x, llvm::ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, x->rank())))
    return x;
  if (mayView(x))
    return known(x->constant->transposed(permutation));
  Sizes shape;
  for (int64_t source : permutation)
    shape.push_back(x->size(source));
  return wrap(TransposeOp::create(builder, location, typeLike(x, shape), value(x), permutation));
}

Tensor Emitter::broadcast(Tensor x, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) {
  if (x->shape() == shape)
    return x;
  elementCount(shape, bytesOf(x->elementType()));
  if (mayView(x))
    return known(x->constant->broadcast(dims, shape));
  // New dims of size 1 alone are a reshape, which every later phase sees through.
  if (elementCount(shape) == elementCount(x->shape()))
    return reshape(x, shape);
  return wrap(BroadcastOp::create(builder, location, typeLike(x, shape), value(x), dims));
}

Tensor Emitter::expand(Tensor x, llvm::ArrayRef<int64_t> shape) {
  if (broadcastShape(x->shape(), shape) != Sizes(shape))
    throw Invalid(
        fmt::format("a tensor of shape {} does not broadcast to {}", spellShape(x->shape()), spellShape(shape)));
  Sizes dims;
  for (int64_t dim = shape.size() - x->rank(); dim < int64_t(shape.size()); ++dim)
    dims.push_back(dim);
  return broadcast(x, dims, shape);
}

Tensor Emitter::concat(llvm::ArrayRef<Tensor> operands, int64_t dim) {
  SmallVector<Tensor> parts;
  Sizes shape(operands.front()->shape());
  shape[dim] = 0;
  for (const Tensor &part : operands) {
    Sizes expected(shape);
    if (part->rank() == int64_t(shape.size()))
      expected[dim] = part->size(dim);
    if (part->elementType() != operands.front()->elementType() || part->shape() != llvm::ArrayRef<int64_t>(expected))
      throw Invalid(fmt::format("operands of types {} and {} cannot be put together along dim {}",
                                spell(operands.front()->type), spell(part->type), dim));
    shape[dim] += part->size(dim);
    if (part->size(dim) != 0)
      parts.push_back(part);
  }
  if (parts.empty())
    return operands.front();
  if (parts.size() == 1)
    return parts.front();
  if (llvm::all_of(parts, [](const Tensor &part) { return part->constant.has_value(); })) {
    std::vector<Constant> constants;
    for (const Tensor &part : parts)
      constants.push_back(*part->constant);
    Constant whole = Constant::concat(std::move(constants), dim);
    return known(whole.count() <= kFoldLimit ? whole.settled() : whole);
  }
  auto values = llvm::map_to_vector(parts, [&](const Tensor &part) { return value(part); });
  return wrap(ConcatOp::create(builder, location, typeLike(parts.front(), shape), values, dim));
}

Tensor Emitter::slice(Tensor x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
                      llvm::ArrayRef<int64_t> shape) {
  if (x->shape() == shape && llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return x;
  if (mayView(x))
    return known(x->constant->sliced(starts, steps, shape));
  return wrap(SliceOp::create(builder, location, typeLike(x, shape), value(x), starts, steps));
}

Tensor Emitter::sliceDim(Tensor x, int64_t dim, int64_t start, int64_t size, int64_t step) {
  Sizes starts(x->rank(), 0), steps(x->rank(), 1), shape(x->shape());
  starts[dim] = start;
  steps[dim] = step;
  shape[dim] = size;
  return slice(x, starts, steps, shape);
}

Tensor Emitter::pad(Tensor x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double padding) {
  Sizes shape(x->shape());
  for (int64_t dim = 0; dim < x->rank(); ++dim)
    shape[dim] += low[dim] + high[dim];
  if (x->shape() == llvm::ArrayRef<int64_t>(shape))
    return x;
  Scalar scalar = scalarOf(x->elementType(), padding);
  if (x->constant && elementCount(shape) <= kFoldLimit) {
    std::vector<Scalar> elements;
    forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index) {
      Sizes source(index);
      bool inside = true;
      for (int64_t dim = 0; dim < x->rank(); ++dim) {
        source[dim] -= low[dim];
        inside &= source[dim] >= 0 && source[dim] < x->size(dim);
      }
      elements.push_back(inside ? x->constant->at(source) : scalar);
    });
    return known(Constant::dense(x->elementType(), shape, std::move(elements)));
  }
  TypedAttr attribute = x->isFloat() ? TypedAttr(builder.getFloatAttr(x->elementType(), scalar.real))
                                     : TypedAttr(IntegerAttr::get(x->elementType(), scalar.integer));
  return wrap(PadOp::create(builder, location, typeLike(x, shape), value(x), low, high, attribute));
}

Tensor Emitter::window(Tensor x, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                       llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> windows) {
  Sizes shape(x->shape().drop_back(sizes.size()));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, windows);
  elementCount(shape, bytesOf(x->elementType()));
  return wrap(WindowOp::create(builder, location, typeLike(x, shape), value(x), sizes, strides, dilations));
}

Tensor Emitter::iota(Type elementType, llvm::ArrayRef<int64_t> shape, int64_t dim) {
  if (shape[dim] > kCopyLimit)
    return wrap(IotaOp::create(builder, location, RankedTensorType::get(shape, elementType), dim));
  std::vector<Scalar> elements;
  for (int64_t i = 0; i < shape[dim]; ++i)
    elements.push_back(scalarOf(elementType, i));
  return known(Constant::dense(elementType, {shape[dim]}, std::move(elements)).broadcast({dim}, shape));
}

} // namespace froe::importing

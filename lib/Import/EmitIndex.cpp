// Gathers, and what known indices make of them: exporters spell masks, tables of positions and parts of a tensor as
// fancy indexing, which is slices, reshapes and broadcasts once the indices are known.
#include "Affine.h"
#include "ElementTypes.h"
#include "Emitter.h"
#include "Failure.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

std::optional<Affine> affineForm(const Constant &indices) {
  Constant compact = indices.compact().settled();
  if (compact.count() == 0 || compact.isFloat())
    return std::nullopt;
  SmallVector<int64_t> index(compact.rank(), 0);
  Affine form{compact.at(index).integer, {}};
  for (int64_t dim = 0; dim < compact.rank(); ++dim) {
    index[dim] = 1;
    form.steps.push_back(compact.shape()[dim] > 1 ? compact.at(index).integer - form.start : 0);
    index[dim] = 0;
  }
  bool even = true;
  forEachIndex(compact.shape(), [&](llvm::ArrayRef<int64_t> at) {
    int64_t expected = form.start;
    for (auto [i, step] : llvm::zip_equal(at, form.steps))
      expected += i * step;
    even &= compact.at(at).integer == expected;
  });
  return even ? std::optional(form) : std::nullopt;
}

/// The same indices counted from the front, distinct ones once. Throws Invalid where one is outside.
static Constant fromTheFront(const Constant &indices, int64_t size) {
  Constant compact = indices.compact();
  std::vector<Scalar> elements = compact.flatten();
  for (Scalar &element : elements) {
    if (element.integer < -size || element.integer >= size)
      throw Invalid(fmt::format("index {} is outside [{}, {}]", element.integer, -size, size - 1));
    element.integer += element.integer < 0 ? size : 0;
  }
  Sizes dims = counting(0, compact.rank());
  return Constant::dense(indices.elementType(), compact.shape(), std::move(elements)).broadcast(dims, indices.shape());
}

namespace {

/// What becomes of one operand dim when it is indexed: the result dims `labels` of `sizes`, major first.
struct IndexedDim {
  int64_t start = 0, step = 1, count;
  Sizes labels, sizes;
};

} // namespace

/// How indices that grow as `form` read a dim: as a slice that is then split into one dim for each index dim.
/// None unless the index dims follow each other like the digits of a number: then the slice is read once, in order.
static std::optional<IndexedDim> readInOrder(const Affine &form, llvm::ArrayRef<int64_t> shape, int64_t firstLabel) {
  Sizes dims;
  for (auto [dim, step] : llvm::enumerate(form.steps))
    if (step != 0)
      dims.push_back(dim);
  llvm::sort(dims, [&](int64_t a, int64_t b) { return std::abs(form.steps[a]) > std::abs(form.steps[b]); });
  IndexedDim read{form.start, dims.empty() ? 1 : form.steps[dims.back()], 1, {}, {}};
  for (int64_t dim : llvm::reverse(dims)) {
    if (form.steps[dim] != read.step * read.count)
      return std::nullopt;
    read.count *= shape[dim];
  }
  for (int64_t dim : dims) {
    read.labels.push_back(firstLabel + dim);
    read.sizes.push_back(shape[dim]);
  }
  return read;
}

/// Slices `x`, splits its dims, and brings them into the order of their labels. None where two dims have one label.
static Tensor readInOrder(Emitter &emit, Tensor x, llvm::ArrayRef<IndexedDim> dims,
                          llvm::ArrayRef<int64_t> resultShape) {
  Sizes starts, steps, counts, labels, sizes;
  for (const IndexedDim &dim : dims) {
    starts.push_back(dim.start);
    steps.push_back(dim.step);
    counts.push_back(dim.count);
    labels.append(dim.labels);
    sizes.append(dim.sizes);
  }
  Sizes order = counting(0, labels.size());
  llvm::sort(order, [&](int64_t a, int64_t b) { return labels[a] < labels[b]; });
  llvm::sort(labels);
  if (std::adjacent_find(labels.begin(), labels.end()) != labels.end())
    return nullptr;
  x = emit.reshape(emit.slice(x, starts, steps, counts), sizes);
  return emit.broadcast(emit.transpose(x, order), labels, resultShape);
}

static IndexedDim keptDim(int64_t size, int64_t label) { return {0, 1, size, {label}, {size}}; }

static Tensor gatherKnown(Emitter &emit, Tensor x, const Constant &indices, int64_t dim,
                          llvm::ArrayRef<int64_t> resultShape) {
  std::optional<Affine> form = affineForm(indices);
  std::optional<IndexedDim> read = form ? readInOrder(*form, indices.shape(), dim) : std::nullopt;
  if (!read)
    return nullptr;
  SmallVector<IndexedDim> dims;
  for (int64_t i = 0; i < x->rank(); ++i)
    dims.push_back(i == dim ? *read : keptDim(x->size(i), i < dim ? i : i - 1 + indices.rank()));
  return readInOrder(emit, x, dims, resultShape);
}

static void requireIndices(const Tensor &indices) {
  if (!indices->elementType().isSignlessInteger(64) && !indices->elementType().isSignlessInteger(32))
    throw Invalid(fmt::format("its indices have element type {}, expected i32 or i64", spell(indices->elementType())));
}

static Constant evaluateGather(const Constant &x, const Constant &indices, int64_t dim, const Sizes &shape) {
  std::vector<Scalar> elements;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> at) {
    Sizes source(at.take_front(dim));
    source.push_back(indices.at(at.slice(dim, indices.rank())).integer);
    source.append(at.drop_front(dim + indices.rank()).begin(), at.end());
    elements.push_back(x.at(source));
  });
  return Constant::dense(x.elementType(), shape, std::move(elements));
}

Tensor Emitter::gather(Tensor x, Tensor indices, int64_t dim) {
  requireIndices(indices);
  Sizes shape(x->shape().take_front(dim));
  llvm::append_range(shape, indices->shape());
  llvm::append_range(shape, x->shape().drop_front(dim + 1));
  elementCount(shape, bytesOf(x->elementType()));
  if (indices->constant && !(indices->constant->inParts() && indices->constant->count() > kFoldLimit)) {
    Constant front = fromTheFront(*indices->constant, x->size(dim));
    if (x->constant && elementCount(shape) <= kFoldLimit)
      return known(evaluateGather(*x->constant, front, dim, shape));
    if (Tensor read = gatherKnown(*this, x, front, dim, shape))
      return read;
    indices = known(front);
  }
  return wrap(GatherOp::create(builder, location, RankedTensorType::get(shape, x->elementType()), value(x),
                               value(indices), dim));
}

/// The indices of one operand dim: component `number` of each tuple.
static Constant component(const Constant &indices, int64_t number) {
  if (indices.inParts() && indices.getPartDim() == indices.rank() - 1) {
    for (const Constant &part : indices.getParts()) {
      if (number < part.shape().back())
        return component(part, number);
      number -= part.shape().back();
    }
  }
  Sizes starts(indices.rank(), 0), steps(indices.rank(), 1), shape(indices.shape());
  starts.back() = number;
  shape.back() = 1;
  Sizes dropped(llvm::ArrayRef<int64_t>(shape).drop_back());
  return indices.sliced(starts, steps, shape).reshaped(dropped);
}

static Tensor gatherNdKnown(Emitter &emit, Tensor x, const Constant &indices, llvm::ArrayRef<int64_t> resultShape) {
  int64_t width = indices.shape().back();
  SmallVector<IndexedDim> dims;
  for (int64_t i = 0; i < width; ++i) {
    Constant front = fromTheFront(component(indices, i), x->size(i));
    std::optional<Affine> form = affineForm(front);
    std::optional<IndexedDim> read = form ? readInOrder(*form, front.shape(), 0) : std::nullopt;
    if (!read)
      return nullptr;
    dims.push_back(*read);
  }
  for (int64_t i = width; i < x->rank(); ++i)
    dims.push_back(keptDim(x->size(i), indices.rank() - 1 + i - width));
  return readInOrder(emit, x, dims, resultShape);
}

Tensor Emitter::gatherNd(Tensor x, Tensor indices, int64_t batchDims) {
  requireIndices(indices);
  if (indices->rank() == 0 || batchDims < 0 || batchDims >= indices->rank() ||
      batchDims + indices->shape().back() > x->rank())
    throw Invalid(fmt::format("indices of shape {} do not index a tensor of shape {}", spellShape(indices->shape()),
                              spellShape(x->shape())));
  Sizes shape(indices->shape().drop_back());
  llvm::append_range(shape, x->shape().drop_front(batchDims + indices->shape().back()));
  elementCount(shape, bytesOf(x->elementType()));
  if (indices->constant && batchDims == 0)
    if (Tensor read = gatherNdKnown(*this, x, *indices->constant, shape))
      return read;
  return wrap(GatherNdOp::create(builder, location, RankedTensorType::get(shape, x->elementType()), value(x),
                                 value(indices), batchDims));
}

} // namespace froe::importing

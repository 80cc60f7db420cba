#include "Convolution.h"
#include "ElementTypes.h"
#include "Failure.h"
#include "Windows.h"

#include <fmt/format.h>

namespace froe::importing {

namespace {

/// A weight [channels out, channels in of a group, …], or of a transposed convolution [channels in, channels out of a
/// group, …], with its groups as a dim of their own: in front, where there are several.
struct Filter {
  Tensor tensor;
  std::string letters; ///< g, o and c; those of the places in a window follow
  int64_t groups, results;
};

Filter filterOf(Node &node, const Tensor &x, Tensor weight, bool transposed) {
  int64_t dims = x->rank() - 2, groups = node.integer("group", 1);
  if (dims < 1 || dims > 3 || weight->rank() != x->rank())
    throw Invalid(fmt::format("operands of shapes {} and {} make no convolution", spellShape(x->shape()),
                              spellShape(weight->shape())));
  if (groups < 1 || weight->size(0) % groups != 0)
    throw Invalid(fmt::format("a weight of shape {} does not make {} groups", spellShape(weight->shape()), groups));
  int64_t channels = transposed ? weight->size(0) : weight->size(1) * groups;
  if (x->size(1) != channels)
    throw Invalid(fmt::format("a weight of shape {} in {} groups takes {} channels, its operand has {}",
                              spellShape(weight->shape()), groups, channels, x->size(1)));
  Filter filter{weight, transposed ? "co" : "oc", groups, transposed ? weight->size(1) * groups : weight->size(0)};
  if (groups == 1)
    return filter;
  Sizes shape{groups, weight->size(0) / groups};
  llvm::append_range(shape, weight->shape().drop_front(1));
  filter.tensor = node.emit.reshape(weight, shape);
  filter.letters = "g" + filter.letters;
  return filter;
}

/// [batch, channels, …] as [batch, groups, channels of a group, …]; no groups, no new dim.
Tensor splitGroups(Emitter &emit, Tensor x, const Filter &filter) {
  if (filter.groups == 1)
    return x;
  Sizes shape{x->size(0), filter.groups, x->size(1) / filter.groups};
  llvm::append_range(shape, x->shape().drop_front(2));
  return emit.reshape(x, shape);
}

/// Where each result needs one channel there is nothing to contract: places are multiplied and added up.
Tensor convolveChannels(Emitter &emit, Tensor x, const Filter &filter, const Windows &w) {
  int64_t dims = w.sizes.size(), perGroup = filter.results / filter.groups;
  Tensor seen = emit.window(x, w.sizes, w.strides, w.dilations, w.counts);
  Sizes shape{x->size(0), filter.groups, perGroup}, weightShape{filter.groups, perGroup};
  llvm::append_range(shape, seen->shape().drop_front(2));
  llvm::append_range(weightShape, w.sizes);
  Sizes seenDims{0, 1}, weightDims = counting(1, 3 + dims);
  llvm::append_range(seenDims, counting(3, 3 + 2 * dims));
  Tensor products = emit.mul(emit.broadcast(seen, seenDims, shape),
                             emit.broadcast(emit.reshape(filter.tensor, weightShape), weightDims, shape));
  return emit.reduce(Reduction::Sum, products, counting(3, 3 + dims), false);
}

/// Windows that lie side by side split each spatial dim.
Tensor contractSeparate(Emitter &emit, Tensor x, const Filter &filter, const Windows &w) {
  x = splitGroups(emit, x, filter);
  std::string group = filter.groups == 1 ? "" : "g";
  std::string lhs = "n" + group + "c", rhs = filter.letters, result = "n" + group + "o";
  int64_t first = lhs.size();
  Sizes split(x->shape().take_front(first));
  for (auto [i, size] : llvm::enumerate(w.sizes)) {
    x = emit.sliceDim(x, first + i, 0, size == 1 ? w.counts[i] : w.counts[i] * size, size == 1 ? w.strides[i] : 1);
    split.append({w.counts[i], size});
    char window = static_cast<char>('p' + i), place = static_cast<char>('x' + i);
    lhs += {window, place};
    rhs += place;
    result += window;
  }
  return emit.contract(lhs, rhs, result, emit.reshape(x, split), filter.tensor);
}

Tensor contractWindows(Emitter &emit, Tensor x, const Filter &filter, const Windows &w) {
  std::string places = std::string("xyz").substr(0, w.sizes.size()),
              windows = std::string("pqr").substr(0, w.sizes.size());
  std::string group = filter.groups == 1 ? "" : "g";
  Tensor seen = emit.window(splitGroups(emit, x, filter), w.sizes, w.strides, w.dilations, w.counts);
  return emit.contract("n" + group + "c" + places + windows, filter.letters + places, "n" + group + "o" + windows, seen,
                       filter.tensor);
}

/// `x` has the padding that the windows see.
Tensor convolve(Node &node, Tensor x, const Filter &filter, const Windows &w) {
  Emitter &emit = node.emit;
  bool oneChannel = x->size(1) == filter.groups && filter.groups > 1;
  Tensor y = oneChannel        ? convolveChannels(emit, x, filter, w)
             : w.areSeparate() ? contractSeparate(emit, x, filter, w)
                               : contractWindows(emit, x, filter, w);
  Sizes shape{x->size(0), filter.results};
  llvm::append_range(shape, w.counts);
  y = emit.reshape(y, shape);
  Tensor bias = node.optional(2);
  if (!bias)
    return y;
  Sizes channels(y->rank(), 1);
  channels[1] = y->size(1);
  return emit.add(y, emit.reshape(bias, channels));
}

/// `stride` - 1 zeros behind each element.
Tensor spread(Emitter &emit, Tensor x, int64_t dim, int64_t stride) {
  if (stride == 1)
    return x;
  Sizes split(x->shape()), low(x->rank() + 1, 0), high(x->rank() + 1, 0), joined(x->shape());
  split.insert(split.begin() + dim + 1, 1);
  high[dim + 1] = stride - 1;
  joined[dim] *= stride;
  return emit.reshape(emit.pad(emit.reshape(x, split), low, high, 0), joined);
}

/// Elements [start, start + size) of `dim`; zeros outside.
Tensor cutOut(Emitter &emit, Tensor x, int64_t dim, int64_t start, int64_t size) {
  Sizes low(x->rank(), 0), high(x->rank(), 0);
  low[dim] = std::max<int64_t>(-start, 0);
  high[dim] = std::max<int64_t>(start + size - x->size(dim), 0);
  return emit.sliceDim(emit.pad(x, low, high, 0), dim, std::max<int64_t>(start, 0), size);
}

/// What a transposed convolution makes along one dim: `count` results, of which the first is `low` behind the first
/// element's first.
struct TransposedDim {
  int64_t low, count;
};

TransposedDim transposedDim(Node &node, size_t i, int64_t whole, int64_t size, int64_t stride) {
  std::string automatic = node.text("auto_pad", "NOTSET");
  size_t dims = node.operand(0)->rank() - 2;
  std::optional<Sizes> shape = node.integers("output_shape");
  if (!shape && !llvm::StringRef(automatic).starts_with("SAME")) {
    Sizes pads = automatic == "NOTSET" ? spatial(node, "pads", 2 * dims, 0) : Sizes(2 * dims, 0);
    return {pads[i], whole - pads[i] - pads[dims + i]};
  }
  // Some exporters state batch and channels, too.
  int64_t count = shape ? shape->size() >= dims ? (*shape)[shape->size() - dims + i] : 0 : size * stride;
  int64_t total = std::max<int64_t>(whole - count, 0);
  return {automatic == "SAME_UPPER" ? total / 2 : total - total / 2, count};
}

} // namespace

Tensors convolution(Node &node) {
  Tensor x = node.operand(0), weight = node.operand(1);
  Filter filter = filterOf(node, x, weight, /*transposed=*/false);
  Windows w = Windows::of(node, x, weight->shape().drop_front(2));
  return {convolve(node, w.padded(node.emit, x, 0), filter, w)};
}

/// Each element is multiplied with the whole filter: a convolution over elements that lie `stride` apart, with the
/// filter reversed.
Tensors transposedConvolution(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0), weight = node.operand(1);
  filterOf(node, x, weight, /*transposed=*/true); // checks the shapes
  size_t dims = x->rank() - 2;
  Windows w{Sizes(weight->shape().drop_front(2)), Sizes(dims, 1), spatial(node, "dilations", dims, 1), {}, {}, {}};
  Sizes strides = spatial(node, "strides", dims, 1), more = spatial(node, "output_padding", dims, 0);
  for (size_t i = 0; i < dims; ++i) {
    int64_t dim = i + 2, size = x->size(dim), stride = strides[i];
    if (stride < 1 || w.dilations[i] < 1 || w.sizes[i] < 1)
      throw Invalid("expected strides, dilations and a kernel of at least 1");
    int64_t span = spanOf(w.sizes[i], w.dilations[i]);
    TransposedDim made = transposedDim(node, i, (size - 1) * stride + span + more[i], size, stride);
    if (made.count < 1)
      throw Invalid(fmt::format("its result would have {} elements along dim {}", made.count, dim));
    w.counts.push_back(made.count);
    x = cutOut(emit, spread(emit, x, dim, stride), dim, made.low - (span - 1), made.count + span - 1);
    Sizes starts(weight->rank(), 0), steps(weight->rank(), 1);
    starts[dim] = w.sizes[i] - 1;
    steps[dim] = -1;
    if (w.sizes[i] > 1)
      weight = emit.slice(weight, starts, steps, weight->shape());
  }
  return {convolve(node, x, filterOf(node, x, weight, /*transposed=*/true), w)};
}

} // namespace froe::importing

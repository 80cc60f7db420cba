#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"
#include "Resize.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

/// `shape` with its zeros and its -1 filled in for the elements of `x`.
Sizes resolveShape(const Tensor &x, Sizes shape, bool zeroCopies) {
  int64_t rest = -1;
  Sizes known(shape);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 0 && zeroCopies) {
      if (int64_t(dim) >= x->rank())
        throw Invalid(fmt::format("its shape copies dim {} of a tensor of rank {}", dim, x->rank()));
      size = known[dim] = x->size(dim);
    }
    if (size < -1 || (size == -1 && rest >= 0))
      throw Invalid("its shape has more than one -1 or a negative size");
    if (size == -1) {
      rest = dim;
      known[dim] = 1;
    }
  }
  int64_t count = elementCount(known);
  if (rest >= 0)
    shape[rest] = count == 0 ? 0 : elementCount(x->shape()) / count;
  return shape;
}

Tensors reshape(Node &node) {
  Tensor x = node.operand(0);
  Sizes shape = resolveShape(x, node.knownIntegers(1, "shape"), !node.integer("allowzero", 0));
  return {node.emit.reshape(x, shape)};
}

Tensors flatten(Node &node) {
  Tensor x = node.operand(0);
  int64_t axis = node.integer("axis", 1);
  axis = axis == x->rank() ? axis : positiveDim(axis, x->rank());
  return {node.emit.reshape(x, {elementCount(x->shape().take_front(axis)), elementCount(x->shape().drop_front(axis))})};
}

Tensors transpose(Node &node) {
  Tensor x = node.operand(0);
  Sizes reversed = counting(0, x->rank());
  std::reverse(reversed.begin(), reversed.end());
  Sizes permutation = node.integers("perm").value_or(reversed);
  Sizes sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, x->rank())))
    throw Invalid(fmt::format("attribute 'perm' does not order the {} dims of its operand", x->rank()));
  return {node.emit.transpose(x, permutation)};
}

Tensors concat(Node &node) {
  SmallVector<Tensor> parts(node.allOperands());
  if (parts.empty() || llvm::is_contained(parts, nullptr))
    throw Invalid("an operand is missing");
  return {node.emit.concat(parts, positiveDim(node.integer("axis"), parts.front()->rank()))};
}

/// The elements of start:end:step in a dim of `size`, as ONNX and Python clamp them.
struct Range {
  int64_t start, count;
};
Range clamp(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto place = [&](int64_t at, int64_t low, int64_t high) { return std::clamp(at < 0 ? at + size : at, low, high); };
  if (step > 0) {
    start = place(start, 0, size);
    end = place(end, 0, size);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = place(start, -1, size - 1);
  end = end < 0 && end < -size ? -1 : place(end, -1, size - 1);
  // Written so that the step of smallest magnitude cannot overflow.
  return {start, start > end ? int64_t(uint64_t(start - end - 1) / (0 - uint64_t(step))) + 1 : 0};
}

Tensors slice(Node &node) {
  Tensor x = node.operand(0);
  Sizes starts = node.knownIntegers(1, "starts"), ends = node.knownIntegers(2, "ends");
  Sizes axes = node.optional(3) ? node.knownIntegers(3, "axes") : counting(0, starts.size());
  Sizes steps = node.optional(4) ? node.knownIntegers(4, "steps") : Sizes(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size())
    throw Invalid("its starts, ends, axes and steps have different lengths");
  Sizes from(x->rank(), 0), by(x->rank(), 1), shape(x->shape());
  for (auto [start, end, axis, step] : llvm::zip_equal(starts, ends, axes, steps)) {
    int64_t dim = positiveDim(axis, x->rank());
    if (step == 0)
      throw Invalid("a step is 0");
    Range range = clamp(start, end, step, x->size(dim));
    from[dim] = range.count == 0 ? 0 : range.start;
    by[dim] = range.count <= 1 ? 1 : step;
    shape[dim] = range.count;
  }
  return {node.emit.slice(x, from, by, shape)};
}

/// How long each part is: stated, or as equal as `count` parts of `size` can be, the last one shorter.
Sizes partLengths(Node &node, int64_t size) {
  if (std::optional<Sizes> stated = node.integersMoved("split", 1, 13))
    return *stated;
  int64_t count = node.proto.output_size(), length = (size + count - 1) / count;
  if (node.opset < 18 && size % count != 0)
    throw Invalid(fmt::format("a dim of {} does not split into {} equal parts", size, count));
  Sizes lengths;
  for (int64_t rest = size; int64_t(lengths.size()) < count; rest -= lengths.back())
    lengths.push_back(std::min(length, rest));
  return lengths;
}

Tensors split(Node &node) {
  Tensor x = node.operand(0);
  int64_t dim = positiveDim(node.integer("axis", 0), x->rank()), start = 0;
  Tensors parts;
  for (int64_t length : partLengths(node, x->size(dim))) {
    if (length < 0 || start + length > x->size(dim))
      break;
    parts.push_back(node.emit.sliceDim(x, dim, start, length));
    start += length;
  }
  if (start != x->size(dim) || int(parts.size()) != node.proto.output_size())
    throw Invalid(fmt::format("its parts do not make up the dim of {} that it splits into {}", x->size(dim),
                              node.proto.output_size()));
  return parts;
}

Tensors squeeze(Node &node) {
  Tensor x = node.operand(0);
  std::optional<Sizes> axes = node.axesMoved(1, 13, x->rank());
  Sizes shape;
  for (int64_t dim = 0; dim < x->rank(); ++dim) {
    bool dropped = axes ? llvm::is_contained(*axes, dim) : x->size(dim) == 1;
    if (dropped && x->size(dim) != 1)
      throw Invalid(fmt::format("it drops dim {}, whose size is {}", dim, x->size(dim)));
    if (!dropped)
      shape.push_back(x->size(dim));
  }
  return {node.emit.reshape(x, shape)};
}

Tensors unsqueeze(Node &node) {
  Tensor x = node.operand(0);
  size_t added = 0;
  if (std::optional<Sizes> raw = node.integersMoved("axes", 1, 13))
    added = raw->size();
  else
    throw Invalid("its axes are missing");
  Sizes axes = *node.axesMoved(1, 13, x->rank() + added), shape(x->shape());
  for (int64_t axis : axes)
    shape.insert(shape.begin() + axis, 1);
  return {node.emit.reshape(x, shape)};
}

Tensors expand(Node &node) {
  Tensor x = node.operand(0);
  return {node.emit.expand(x, broadcastShape(x->shape(), node.knownIntegers(1, "shape")))};
}

/// Each dim gets a neighbour to repeat along, and is merged with it.
Tensors tile(Node &node) {
  Tensor x = node.operand(0);
  Sizes repeats = node.knownIntegers(1, "repeats"), dims, apart, merged;
  if (int64_t(repeats.size()) != x->rank())
    throw Invalid(fmt::format("it has {} repeats for a tensor of rank {}", repeats.size(), x->rank()));
  for (auto [size, repeat] : llvm::zip_equal(x->shape(), repeats)) {
    if (repeat < 0)
      throw Invalid("a repeat is negative");
    elementCount({size, repeat});
    apart.push_back(repeat);
    dims.push_back(apart.size());
    apart.push_back(size);
    merged.push_back(size * repeat);
  }
  return {node.emit.reshape(node.emit.broadcast(x, dims, apart), merged)};
}

/// For each element of a padded dim the element of the operand that it shows.
int64_t shownAt(int64_t position, int64_t size, llvm::StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(position, 0, size - 1);
  if (mode == "wrap")
    return ((position % size) + size) % size;
  int64_t period = std::max<int64_t>(2 * (size - 1), 1); // reflect
  position = ((position % period) + period) % period;
  return position < size ? position : period - position;
}

Tensor padByCopies(Emitter &emit, Tensor x, const Sizes &low, const Sizes &high, llvm::StringRef mode) {
  for (int64_t dim = 0; dim < x->rank(); ++dim) {
    if (low[dim] == 0 && high[dim] == 0)
      continue;
    if (x->size(dim) == 0)
      throw Invalid(fmt::format("dim {} is empty, there is nothing to pad it with", dim));
    Sizes shown;
    for (int64_t at = -low[dim]; at < x->size(dim) + high[dim]; ++at)
      shown.push_back(shownAt(at, x->size(dim), mode));
    x = emit.gather(x, emit.integers(shown), dim);
  }
  return x;
}

/// Negative pads cut off. Returns what is cut, and leaves what is added.
Tensor cropNegative(Emitter &emit, Tensor x, Sizes &low, Sizes &high) {
  for (int64_t dim = 0; dim < x->rank(); ++dim) {
    int64_t front = std::max<int64_t>(-low[dim], 0), back = std::max<int64_t>(-high[dim], 0);
    if (front + back > x->size(dim))
      throw Invalid(fmt::format("it cuts more off dim {} than there is", dim));
    x = emit.sliceDim(x, dim, front, x->size(dim) - front - back);
    low[dim] = std::max<int64_t>(low[dim], 0);
    high[dim] = std::max<int64_t>(high[dim], 0);
  }
  return x;
}

Tensors pad(Node &node) {
  Tensor x = node.operand(0);
  Sizes pads = node.knownIntegers(1, "pads");
  Sizes axes = node.optional(3) ? node.knownIntegers(3, "axes") : counting(0, x->rank());
  if (pads.size() != 2 * axes.size())
    throw Invalid(fmt::format("it has {} pads for {} axes", pads.size(), axes.size()));
  Sizes low(x->rank(), 0), high(x->rank(), 0);
  for (auto [number, axis] : llvm::enumerate(axes)) {
    low[positiveDim(axis, x->rank())] = pads[number];
    high[positiveDim(axis, x->rank())] = pads[number + axes.size()];
  }
  std::string mode = node.text("mode", "constant");
  x = cropNegative(node.emit, x, low, high);
  if (mode != "constant")
    return {padByCopies(node.emit, x, low, high, mode)};
  double value = 0;
  if (node.optional(2)) {
    Constant known = node.knownOperand(2, "constant value").compact();
    Scalar scalar = known.flatten().at(0);
    value = known.isFloat() ? scalar.real : scalar.integer;
  }
  return {node.emit.pad(x, low, high, value)};
}

Tensors depthToSpace(Node &node) {
  Tensor x = node.operand(0);
  int64_t block = node.integer("blocksize");
  bool depthFirst = node.text("mode", "DCR") == "DCR";
  if (x->rank() != 4 || block <= 0 || x->size(1) % (block * block) != 0)
    throw Invalid(fmt::format("a tensor of shape {} has no blocks of {}", spellShape(x->shape()), block));
  int64_t n = x->size(0), c = x->size(1) / (block * block), h = x->size(2), w = x->size(3);
  Tensor apart = depthFirst ? node.emit.transpose(node.emit.reshape(x, {n, block, block, c, h, w}), {0, 3, 4, 1, 5, 2})
                            : node.emit.transpose(node.emit.reshape(x, {n, c, block, block, h, w}), {0, 1, 4, 2, 5, 3});
  return {node.emit.reshape(apart, {n, c, h * block, w * block})};
}

Tensors spaceToDepth(Node &node) {
  Tensor x = node.operand(0);
  int64_t block = node.integer("blocksize");
  if (x->rank() != 4 || block <= 0 || x->size(2) % block != 0 || x->size(3) % block != 0)
    throw Invalid(fmt::format("a tensor of shape {} has no blocks of {}", spellShape(x->shape()), block));
  int64_t n = x->size(0), c = x->size(1), h = x->size(2) / block, w = x->size(3) / block;
  bool depthFirst = node.text("mode", "DCR") == "DCR";
  Sizes order = depthFirst ? Sizes{0, 3, 5, 1, 2, 4} : Sizes{0, 1, 3, 5, 2, 4};
  Tensor apart = node.emit.transpose(node.emit.reshape(x, {n, c, h, block, w, block}), order);
  return {node.emit.reshape(apart, {n, c * block * block, h, w})};
}

constexpr Operator table[] = {
    {"Concat", 11, Types::Any, concat},
    {"DepthToSpace", 11, Types::Any, depthToSpace},
    {"Expand", 11, Types::Any, expand},
    {"Flatten", 11, Types::Any, flatten},
    {"Pad", 11, Types::Any, pad, "pads and value known at import"},
    {"Reshape", 11, Types::Any, reshape, "shape known at import"},
    {"Resize", 11, Types::Any, resize, "scales or sizes known at import; no antialiasing, no crop"},
    {"Slice", 11, Types::Any, slice, "bounds known at import"},
    {"SpaceToDepth", 11, Types::Any, spaceToDepth},
    {"Split", 11, Types::Any, split},
    {"Squeeze", 11, Types::Any, squeeze},
    {"Tile", 11, Types::Any, tile, "repeats known at import"},
    {"Transpose", 11, Types::Any, transpose},
    {"Unsqueeze", 11, Types::Any, unsqueeze},
};

} // namespace

llvm::ArrayRef<Operator> layoutOperators() { return table; }

} // namespace froe::importing

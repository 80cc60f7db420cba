#include "Convolution.h"
#include "ElementTypes.h"
#include "Failure.h"

#include <fmt/format.h>

namespace froe::importing {

namespace {

/// The spatial attributes of a convolution, one entry a spatial dim.
struct Windows {
  Sizes kernel, strides, dilations, low, high;
};

Sizes spatial(Node &node, llvm::StringRef name, size_t count, int64_t absent) {
  Sizes values = node.integers(name).value_or(Sizes(count, absent));
  if (values.size() != count)
    throw Invalid(fmt::format("attribute '{}' has {} entries, expected {}", name.str(), values.size(), count));
  return values;
}

Windows windowsOf(Node &node, const Tensor &x, const Tensor &weight) {
  int64_t dims = x->rank() - 2;
  Windows w{Sizes(weight->shape().drop_front(2)),
            spatial(node, "strides", dims, 1),
            spatial(node, "dilations", dims, 1),
            {},
            {}};
  Sizes pads = spatial(node, "pads", 2 * dims, 0);
  std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID")
    throw Unsupported(fmt::format("auto_pad '{}' is not supported", automatic));
  w.low.assign(pads.begin(), pads.begin() + dims);
  w.high.assign(pads.begin() + dims, pads.end());
  return w;
}

void requireSeparateWindows(const Windows &w) {
  auto differs = [](llvm::ArrayRef<int64_t> values, int64_t expected) {
    return llvm::any_of(values, [=](int64_t value) { return value != expected; });
  };
  if (differs(w.low, 0) || differs(w.high, 0))
    throw Unsupported("a convolution with pads is not supported");
  if (differs(w.dilations, 1))
    throw Unsupported("a convolution with dilations is not supported");
  for (auto [kernel, stride] : llvm::zip_equal(w.kernel, w.strides))
    if (stride < kernel)
      throw Unsupported(fmt::format("a convolution whose windows overlap (kernel {}, strides {}) is not supported",
                                    spellShape(w.kernel), spellShape(w.strides)));
}

} // namespace

/// Windows that do not overlap: each spatial dim splits into windows and positions inside them, and the positions are
/// summed over together with the channels.
Tensors convolution(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0), weight = node.operand(1), bias = node.optional(2);
  int64_t dims = x->rank() - 2;
  if (dims < 1 || dims > 3 || weight->rank() != x->rank())
    throw Invalid(fmt::format("operands of shapes {} and {} make no convolution", spellShape(x->shape()),
                              spellShape(weight->shape())));
  if (node.integer("group", 1) != 1)
    throw Unsupported(fmt::format("a convolution of {} groups is not supported", node.integer("group", 1)));
  Windows w = windowsOf(node, x, weight);
  requireSeparateWindows(w);
  std::string lhs = "nc", rhs = "oc", result = "no";
  Sizes split(x->shape().take_front(2));
  for (int64_t i = 0; i < dims; ++i) {
    int64_t kernel = w.kernel[i], stride = w.strides[i];
    if (stride <= 0 || kernel <= 0 || x->size(i + 2) < kernel)
      throw Invalid(fmt::format("its kernel of {} does not fit a dim of {}", kernel, x->size(i + 2)));
    int64_t windows = (x->size(i + 2) - kernel) / stride + 1;
    if (kernel == 1) // one element a window
      x = emit.sliceDim(x, i + 2, 0, windows, stride);
    else if (stride != kernel)
      throw Unsupported(fmt::format(
          "a convolution with gaps between its windows (kernel {}, stride {}) is not supported", kernel, stride));
    else
      x = emit.sliceDim(x, i + 2, 0, windows * kernel);
    split.append({windows, kernel});
    char window = static_cast<char>('p' + i), position = static_cast<char>('x' + i);
    lhs += {window, position};
    rhs += position;
    result += window;
  }
  Tensor y = emit.contract(lhs, rhs, result, emit.reshape(x, split), weight);
  if (!bias)
    return {y};
  Sizes channels(y->rank(), 1);
  channels[1] = y->size(1);
  return {emit.add(y, emit.reshape(bias, channels))};
}

} // namespace froe::importing

#include "Windows.h"
#include "ElementTypes.h"
#include "Failure.h"

#include <fmt/format.h>

namespace froe::importing {

Sizes spatial(Node &node, llvm::StringRef name, size_t count, int64_t absent) {
  Sizes values = node.integers(name).value_or(Sizes(count, absent));
  if (values.size() != count)
    throw Invalid(fmt::format("attribute '{}' has {} entries, expected {}", name.str(), values.size(), count));
  return values;
}

namespace {

void requireAtLeast(int64_t least, llvm::ArrayRef<int64_t> values, llvm::StringRef what) {
  for (int64_t value : values)
    if (value < least)
      throw Invalid(fmt::format("attribute '{}' has the entry {}, expected at least {}", what.str(), value, least));
}

/// How many windows fit; a last one that begins inside counts in `ceil_mode`, unless it begins behind the operand.
int64_t countOf(int64_t size, int64_t low, int64_t high, int64_t span, int64_t stride, bool ceil) {
  int64_t room = low + size + high - span;
  if (room < 0)
    return 0;
  int64_t count = (room + (ceil ? stride - 1 : 0)) / stride + 1;
  return ceil && (count - 1) * stride >= size + low ? count - 1 : count;
}

} // namespace

Windows Windows::of(Node &node, const Tensor &x, llvm::ArrayRef<int64_t> sizes) {
  size_t dims = x->rank() - 2;
  Windows w{Sizes(sizes), spatial(node, "strides", dims, 1), spatial(node, "dilations", dims, 1), {}, {}, {}};
  requireAtLeast(1, w.sizes, "kernel_shape");
  requireAtLeast(1, w.strides, "strides");
  requireAtLeast(1, w.dilations, "dilations");
  std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
    throw Invalid(fmt::format("attribute 'auto_pad' is '{}'", automatic));
  Sizes pads = automatic == "NOTSET" ? spatial(node, "pads", 2 * dims, 0) : Sizes(2 * dims, 0);
  requireAtLeast(0, pads, "pads");
  bool ceil = node.integer("ceil_mode", 0) != 0;
  for (size_t i = 0; i < dims; ++i) {
    int64_t size = x->size(i + 2), span = spanOf(w.sizes[i], w.dilations[i]), stride = w.strides[i];
    int64_t low = pads[i], high = pads[dims + i];
    if (automatic.starts_with("SAME")) {
      int64_t total = std::max<int64_t>(((size + stride - 1) / stride - 1) * stride + span - size, 0);
      low = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      high = total - low;
    }
    w.low.push_back(low);
    w.high.push_back(high);
    w.counts.push_back(countOf(size, low, high, span, stride, ceil));
    if (w.counts.back() < 1)
      throw Invalid(fmt::format("its windows of {} elements do not fit a dim of {} with pads of {} and {}", span, size,
                                low, high));
  }
  return w;
}

Tensor Windows::padded(Emitter &emit, Tensor x, double value) const {
  Sizes before(x->rank(), 0), behind(x->rank(), 0);
  for (auto [i, count] : llvm::enumerate(counts)) {
    int64_t seen = (count - 1) * strides[i] + spanOf(sizes[i], dilations[i]);
    before[i + 2] = low[i];
    behind[i + 2] = std::max<int64_t>(seen - low[i] - x->size(i + 2), 0);
  }
  return emit.pad(x, before, behind, value);
}

bool Windows::areSeparate() const {
  return llvm::all_of(llvm::seq(sizes.size()),
                      [&](size_t i) { return sizes[i] == 1 || (strides[i] == sizes[i] && dilations[i] == 1); });
}

} // namespace froe::importing

#include "Resize.h"
#include "ElementTypes.h"
#include "Failure.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace froe::importing {

namespace {

/// What is done along one dim. Coordinates are computed in float, as ONNX Runtime does: where an element lies halfway
/// between two others, the rounding decides.
struct Stretch {
  int64_t from, to;
  float scale;
};

/// The element that result `at` stands for, as a place between the operand's elements.
using Coordinate = float (*)(float at, const Stretch &dim);

float halfPixel(float at, const Stretch &dim) { return (at + 0.5f) / dim.scale - 0.5f; }
float halfPixelOrFirst(float at, const Stretch &dim) { return dim.to > 1 ? halfPixel(at, dim) : 0; }
float halfPixelSymmetric(float at, const Stretch &dim) {
  float adjustment = float(dim.to) / (dim.scale * float(dim.from));
  return float(dim.from) / 2 * (1 - adjustment) + halfPixel(at, dim);
}
float alignCorners(float at, const Stretch &dim) {
  return dim.to == 1 ? 0 : at * float(dim.from - 1) / float(dim.to - 1);
}
float asymmetric(float at, const Stretch &dim) { return at / dim.scale; }

template <typename Value>
Value choose(Node &node, const char *name, const char *absent, const std::map<std::string, Value> &choices) {
  std::string text = node.text(name, absent);
  auto found = choices.find(text);
  if (found == choices.end())
    throw Unsupported(fmt::format("{} '{}' is not supported", name, text));
  return found->second;
}

Coordinate coordinateOf(Node &node) {
  return choose<Coordinate>(node, "coordinate_transformation_mode", "half_pixel",
                            {{"half_pixel", halfPixel},
                             {"pytorch_half_pixel", halfPixelOrFirst},
                             {"half_pixel_symmetric", halfPixelSymmetric},
                             {"align_corners", alignCorners},
                             {"asymmetric", asymmetric}});
}

/// One term of each result's sum: the element and its weight.
struct Tap {
  std::vector<int64_t> elements;
  std::vector<double> weights;
};

using Rounding = float (*)(float);

Rounding roundingOf(Node &node) {
  return choose<Rounding>(node, "nearest_mode", "round_prefer_floor",
                          {{"round_prefer_floor", [](float x) { return std::ceil(x - 0.5f); }},
                           {"round_prefer_ceil", [](float x) { return std::floor(x + 0.5f); }},
                           {"floor", [](float x) { return std::floor(x); }},
                           {"ceil", [](float x) { return std::ceil(x); }}});
}

int64_t inside(float place, const Stretch &dim) {
  return std::clamp<int64_t>(static_cast<int64_t>(place), 0, dim.from - 1);
}

std::vector<Tap> nearestTaps(Node &node, const Stretch &dim) {
  Coordinate coordinate = coordinateOf(node);
  Rounding rounding = roundingOf(node);
  Tap tap;
  for (int64_t at = 0; at < dim.to; ++at)
    tap.elements.push_back(inside(rounding(coordinate(float(at), dim)), dim));
  return {tap};
}

std::vector<Tap> linearTaps(Node &node, const Stretch &dim) {
  Coordinate coordinate = coordinateOf(node);
  std::vector<Tap> taps(2);
  for (int64_t at = 0; at < dim.to; ++at) {
    float place = std::clamp(coordinate(float(at), dim), 0.0f, float(dim.from - 1));
    int64_t below = inside(place, dim);
    double share = double(place) - double(below);
    taps[0].elements.push_back(below), taps[0].weights.push_back(1 - share);
    taps[1].elements.push_back(std::min(below + 1, dim.from - 1)), taps[1].weights.push_back(share);
  }
  return taps;
}

/// Keys, "Cubic convolution interpolation for digital image processing" (1981), equation 4.
double cubicWeight(double distance, double a) {
  double x = std::abs(distance);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

std::vector<Tap> cubicTaps(Node &node, const Stretch &dim) {
  Coordinate coordinate = coordinateOf(node);
  double a = node.real("cubic_coeff_a", -0.75);
  bool excludes = node.integer("exclude_outside", 0) != 0;
  std::vector<Tap> taps(4);
  for (int64_t at = 0; at < dim.to; ++at) {
    float place = coordinate(float(at), dim);
    auto below = static_cast<int64_t>(std::floor(place));
    double weights[4], sum = 0;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t element = below - 1 + i;
      bool left = excludes && (element < 0 || element >= dim.from);
      sum += weights[i] = left ? 0 : cubicWeight(double(place) - double(element), a);
    }
    for (int64_t i = 0; i < 4; ++i) {
      taps[i].elements.push_back(std::clamp<int64_t>(below - 1 + i, 0, dim.from - 1));
      taps[i].weights.push_back(excludes ? weights[i] / sum : weights[i]);
    }
  }
  return taps;
}

using Taps = std::vector<Tap> (*)(Node &, const Stretch &);

Taps tapsOf(Node &node) {
  return choose<Taps>(node, "mode", "nearest",
                      {{"nearest", nearestTaps}, {"linear", linearTaps}, {"cubic", cubicTaps}});
}

/// Whether every element is only repeated `times` times.
bool repeats(llvm::ArrayRef<int64_t> elements, int64_t times) {
  return llvm::all_of(llvm::enumerate(elements),
                      [&](auto each) { return each.value() == int64_t(each.index()) / times; });
}

/// Repeated elements are a broadcast, which keeps shards where they are.
Tensor repeat(Emitter &emit, Tensor x, int64_t dim, int64_t times) {
  Sizes apart(x->shape()), dims, joined(x->shape());
  apart.insert(apart.begin() + dim + 1, times);
  joined[dim] *= times;
  for (int64_t i = 0; i < x->rank(); ++i)
    dims.push_back(i <= dim ? i : i + 1);
  return emit.reshape(emit.broadcast(x, dims, apart), joined);
}

Tensor weighted(Emitter &emit, Tensor x, int64_t dim, const Tap &tap) {
  x = emit.gather(x, emit.integers(tap.elements), dim);
  if (tap.weights.empty())
    return x;
  std::vector<Scalar> scalars;
  for (double weight : tap.weights)
    scalars.push_back(scalarOf(x->elementType(), weight));
  Sizes shape(x->rank(), 1);
  shape[dim] = x->size(dim);
  return emit.mul(x, emit.known(Constant::dense(x->elementType(), shape, std::move(scalars))));
}

Tensor stretch(Node &node, Tensor x, int64_t dim, const Stretch &how) {
  std::vector<Tap> taps = tapsOf(node)(node, how);
  if (taps.size() == 1 && how.to % how.from == 0 && repeats(taps[0].elements, how.to / how.from))
    return repeat(node.emit, x, dim, how.to / how.from);
  Tensor sum;
  for (const Tap &tap : taps) {
    Tensor term = weighted(node.emit, x, dim, tap);
    sum = sum ? node.emit.add(sum, term) : term;
  }
  return sum;
}

/// Sizes may leave the ratio of the dims as it is: one scale for all of them.
std::vector<Stretch> fromSizes(Node &node, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  Sizes sizes = node.knownIntegers(3, "its result's shape");
  if (sizes.size() != dims.size())
    throw Invalid(fmt::format("{} sizes are given for {} dims", sizes.size(), dims.size()));
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    throw Invalid(fmt::format("attribute 'keep_aspect_ratio_policy' is '{}'", policy));
  std::vector<float> scales;
  for (auto [dim, size] : llvm::zip(dims, sizes))
    scales.push_back(x->size(dim) == 0 ? 1 : float(size) / float(x->size(dim)));
  std::vector<Stretch> stretches;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    float scale = scales[i];
    if (policy != "stretch") {
      scale = policy == "not_larger" ? *llvm::min_element(scales) : *llvm::max_element(scales);
      sizes[i] = static_cast<int64_t>(std::round(scale * float(x->size(dim))));
    }
    stretches.push_back({x->size(dim), sizes[i], scale});
  }
  return stretches;
}

std::vector<Stretch> fromScales(Node &node, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  Constant scales = node.knownOperand(2, "its result's shape");
  std::vector<Scalar> values = scales.flatten();
  if (values.size() != dims.size())
    throw Invalid(fmt::format("{} scales are given for {} dims", values.size(), dims.size()));
  std::vector<Stretch> stretches;
  for (auto [dim, value] : llvm::zip(dims, values)) {
    auto scale = static_cast<float>(value.real);
    stretches.push_back({x->size(dim), static_cast<int64_t>(std::floor(scale * float(x->size(dim)))), scale});
  }
  return stretches;
}

} // namespace

Tensors resize(Node &node) {
  Tensor x = node.operand(0);
  if (node.integer("antialias", 0) != 0)
    throw Unsupported("antialiasing is not supported");
  if (node.text("mode", "nearest") != "nearest" && !x->isFloat())
    throw Unsupported(fmt::format("interpolation of {} is not supported", spell(x->elementType())));
  Sizes dims = counting(0, x->rank());
  if (std::optional<Sizes> axes = node.integers("axes")) {
    dims = *axes;
    for (int64_t &dim : dims)
      dim = positiveDim(dim, x->rank());
  }
  Tensor scales = node.optional(2);
  bool hasScales = scales && elementCount(scales->shape()) > 0;
  if (hasScales == bool(node.optional(3)))
    throw Invalid("expected either scales or sizes");
  std::vector<Stretch> stretches = hasScales ? fromScales(node, x, dims) : fromSizes(node, x, dims);
  for (auto [dim, how] : llvm::zip(dims, stretches)) {
    if (how.to < 0 || how.scale <= 0 || (how.from == 0 && how.to != 0))
      throw Invalid(fmt::format("a dim of {} cannot become one of {}", how.from, how.to));
    if (how.to != how.from || how.scale != 1)
      x = stretch(node, x, dim, how);
  }
  return {x};
}

} // namespace froe::importing

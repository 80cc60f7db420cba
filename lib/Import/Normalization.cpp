#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"

#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

/// Until opset 13 softmax was over all dims from its axis (default 1) on, as if they were one.
Tensors softmaxOf(Node &node, llvm::function_ref<Tensor(Tensor, int64_t)> normalize) {
  Tensor x = node.operand(0);
  if (x->rank() == 0)
    throw Invalid("its operand is a scalar");
  int64_t axis = positiveDim(node.integer("axis", node.opset < 13 ? (x->rank() > 1 ? 1 : 0) : -1), x->rank());
  bool oneDim =
      node.opset >= 13 || llvm::all_of(x->shape().drop_front(axis + 1), [](int64_t size) { return size == 1; });
  if (oneDim)
    return {normalize(x, axis)};
  Sizes flat(x->shape().take_front(axis));
  flat.push_back(elementCount(x->shape().drop_front(axis)));
  return {node.emit.reshape(normalize(node.emit.reshape(x, flat), axis), x->shape())};
}

Tensors softmax(Node &node) {
  return softmaxOf(node, [&](Tensor x, int64_t dim) { return node.emit.softmax(x, dim); });
}

/// x - max - log(sum(exp(x - max)))
Tensors logSoftmax(Node &node) {
  Emitter &emit = node.emit;
  return softmaxOf(node, [&](Tensor x, int64_t dim) {
    Tensor shifted = emit.sub(x, emit.reduce(Reduction::Max, x, {dim}, true));
    return emit.sub(shifted, emit.log(emit.reduce(Reduction::Sum, emit.exp(shifted), {dim}, true)));
  });
}

/// Mean and inverse standard deviation, which training alone asks for.
void appendStatistics(Node &node, Tensors &results, Tensor x, int64_t first, double epsilon) {
  Emitter &emit = node.emit;
  if (!node.hasResult(1) && !node.hasResult(2))
    return;
  Sizes dims = counting(first, x->rank());
  Tensor mean = emit.mean(x, dims, true), centred = emit.sub(x, mean);
  Tensor variance = emit.mean(emit.mul(centred, centred), dims, true);
  results.push_back(mean);
  results.push_back(emit.reciprocal(emit.sqrt(emit.add(variance, emit.scalarLike(x, epsilon)))));
}

Tensors layerNormalization(Node &node) {
  Tensor x = node.operand(0);
  int64_t first = positiveDim(node.integer("axis", -1), x->rank());
  double epsilon = node.real("epsilon", 1e-5f);
  Tensors results{node.emit.normalize(NormalizeForm::Layer, x, node.operand(1), node.optional(2), first, epsilon)};
  appendStatistics(node, results, x, first, epsilon);
  return results;
}

Tensors rmsNormalization(Node &node) {
  Tensor x = node.operand(0);
  int64_t first = positiveDim(node.integer("axis", -1), x->rank());
  return {node.emit.normalize(NormalizeForm::Rms, x, node.operand(1), nullptr, first, node.real("epsilon", 1e-5f))};
}

/// A parameter of one element a channel, shaped to broadcast against [batch, channels, …].
Tensor perChannel(Emitter &emit, Tensor parameter, int64_t rank) {
  Sizes shape(rank, 1);
  shape[1] = elementCount(parameter->shape());
  return emit.reshape(parameter, shape);
}

Tensors batchNormalization(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  if (node.integer("training_mode", 0) || node.hasResult(1))
    throw Unsupported("batch normalisation in training mode is not supported");
  if (x->rank() < 2)
    throw Invalid("its operand has no channels");
  Tensor scale = node.operand(1), bias = node.operand(2), mean = node.operand(3), variance = node.operand(4);
  Tensor factor =
      emit.div(scale, emit.sqrt(emit.add(variance, emit.scalarLike(variance, node.real("epsilon", 1e-5f)))));
  Tensor shift = emit.sub(bias, emit.mul(mean, factor));
  return {emit.add(emit.mul(x, perChannel(emit, factor, x->rank())), perChannel(emit, shift, x->rank()))};
}

/// Normalises each of `groups` groups of channels over channels and space.
Tensor normalizeGroups(Emitter &emit, Tensor x, int64_t groups, double epsilon) {
  if (x->rank() < 3 || groups <= 0 || x->size(1) % groups != 0)
    throw Invalid(
        fmt::format("the channels of a tensor of shape {} do not make {} groups", spellShape(x->shape()), groups));
  Tensor flat = emit.reshape(x, {x->size(0), groups, elementCount(x->shape().drop_front(1)) / groups});
  return emit.reshape(emit.normalize(NormalizeForm::Layer, flat, nullptr, nullptr, 2, epsilon), x->shape());
}

Tensor scaleChannels(Emitter &emit, Tensor x, Tensor scale, Tensor bias) {
  return emit.add(emit.mul(x, perChannel(emit, scale, x->rank())), perChannel(emit, bias, x->rank()));
}

Tensors instanceNormalization(Node &node) {
  Tensor x = node.operand(0);
  Tensor normal = normalizeGroups(node.emit, x, x->rank() > 1 ? x->size(1) : 0, node.real("epsilon", 1e-5f));
  return {scaleChannels(node.emit, normal, node.operand(1), node.operand(2))};
}

/// Until opset 21 scale and bias had one element a group.
Tensors groupNormalization(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0), scale = node.operand(1), bias = node.operand(2);
  int64_t groups = node.integer("num_groups");
  Tensor normal = normalizeGroups(emit, x, groups, node.real("epsilon", 1e-5f));
  auto spread = [&](Tensor parameter) {
    return node.opset >= 21 ? parameter
                            : emit.reshape(emit.broadcast(parameter, {0}, {groups, x->size(1) / groups}), {x->size(1)});
  };
  return {scaleChannels(emit, normal, spread(scale), spread(bias))};
}

Tensors lpNormalization(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.operand(0);
  int64_t dim = positiveDim(node.integer("axis", -1), x->rank()), p = node.integer("p", 2);
  if (p != 1 && p != 2)
    throw Invalid(fmt::format("attribute 'p' is {}, expected 1 or 2", p));
  Tensor sum = emit.reduce(Reduction::Sum, p == 1 ? emit.abs(x) : emit.mul(x, x), {dim}, true);
  Tensor norm = p == 1 ? sum : emit.sqrt(sum), zero = emit.scalarLike(x, 0);
  return {emit.select(emit.compare(Comparison::Equal, norm, zero), zero, emit.div(x, norm))}; // nothing stays nothing
}

constexpr Operator table[] = {
    {"BatchNormalization", 11, Types::Float, batchNormalization, "not in training mode"},
    {"GroupNormalization", 18, Types::Float, groupNormalization},
    {"InstanceNormalization", 11, Types::Float, instanceNormalization},
    {"LayerNormalization", 17, Types::Float, layerNormalization},
    {"LogSoftmax", 11, Types::Float, logSoftmax},
    {"LpNormalization", 11, Types::Float, lpNormalization},
    {"RMSNormalization", 23, Types::Float, rmsNormalization},
    {"Softmax", 11, Types::Float, softmax},
};

} // namespace

llvm::ArrayRef<Operator> normalizationOperators() { return table; }

} // namespace froe::importing

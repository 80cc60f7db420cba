#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

namespace {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
Tensor splitHeads(Emitter &emit, Tensor x, int64_t heads) {
  if (x->rank() == 4)
    return x;
  if (x->rank() != 3 || heads <= 0 || x->size(2) % heads != 0)
    throw Invalid(fmt::format("an operand of shape {} does not split into {} heads", spellShape(x->shape()), heads));
  return emit.transpose(emit.reshape(x, {x->size(0), x->size(1), heads, x->size(2) / heads}), {0, 2, 1, 3});
}

/// What a query may see: a boolean mask, numbers to add, or both.
struct Mask {
  Tensor allowed, added;
};

/// [batch, heads, queries, keys]-like `mask` for grouped scores [batch, groups, heads of a group, queries, keys].
Tensor groupMask(Emitter &emit, Tensor mask, int64_t groups, int64_t perGroup) {
  Sizes four(4 - mask->rank(), 1);
  llvm::append_range(four, mask->shape());
  bool perHead = four[1] != 1;
  return emit.reshape(mask, {four[0], perHead ? groups : 1, perHead ? perGroup : 1, four[2], four[3]});
}

/// Query i sees keys up to i + `past`.
Tensor causal(Emitter &emit, int64_t queries, int64_t keys, int64_t past) {
  Tensor last = emit.add(emit.iota(emit.i64(), {queries, 1}, 0), emit.scalar(emit.i64(), past));
  return emit.compare(Comparison::LessOrEqual, emit.iota(emit.i64(), {1, keys}, 1), last);
}

Mask maskOf(Node &node, int64_t groups, int64_t perGroup, int64_t queries, int64_t keys, int64_t past) {
  Emitter &emit = node.emit;
  Mask mask;
  if (Tensor given = node.optional(3)) {
    if (given->rank() > 4 || given->rank() < 1 || (given->shape().back() != keys && given->shape().back() != 1))
      throw Unsupported(
          fmt::format("a mask of shape {} for {} keys is not supported", spellShape(given->shape()), keys));
    Tensor grouped = groupMask(emit, given, groups, perGroup);
    (given->isBoolean() ? mask.allowed : mask.added) = grouped;
  }
  if (node.integer("is_causal", 0)) {
    Tensor seen = causal(emit, queries, keys, past);
    mask.allowed = mask.allowed ? emit.logicalAnd(mask.allowed, seen) : seen;
  }
  return mask;
}

void refuseVariants(Node &node) {
  if (node.hasResult(3))
    throw Unsupported("its result 'qk_matmul_output' is not supported");
  if (node.optional(6))
    throw Unsupported("its operand 'nonpad_kv_seqlen' is not supported");
  if (node.integer("left_window_size", -1) != -1 || node.integer("right_window_size", -1) != -1)
    throw Unsupported("attention in a window is not supported");
}

/// softmax(softcap(scale q k) + mask) v, where a query that may see nothing gets zeros. Heads of one group share keys
/// and values. Masking follows softcap (the operator's errata of 2025), and causal masks are aligned at the last key.
Tensors attention(Node &node) {
  refuseVariants(node);
  Emitter &emit = node.emit;
  bool flat = node.operand(0)->rank() == 3;
  Tensor q = splitHeads(emit, node.operand(0), node.integer("q_num_heads", 0));
  Tensor k = splitHeads(emit, node.operand(1), node.integer("kv_num_heads", 0));
  Tensor v = splitHeads(emit, node.operand(2), node.integer("kv_num_heads", 0));
  int64_t past = 0;
  if (Tensor pastKey = node.optional(4)) {
    past = pastKey->size(2);
    k = emit.concat({pastKey, k}, 2);
    v = emit.concat({node.operand(5), v}, 2);
  }
  int64_t batch = q->size(0), heads = q->size(1), queries = q->size(2), groups = k->size(1), keys = k->size(2);
  if (groups == 0 || heads % groups != 0)
    throw Invalid(fmt::format("{} query heads do not share {} key heads evenly", heads, groups));
  double scale = node.real("scale", static_cast<float>(1 / std::sqrt(double(q->size(3)))));
  Tensor grouped =
      emit.reshape(emit.mul(q, emit.scalarLike(q, scale)), {batch, groups, heads / groups, queries, q->size(3)});
  Tensor scores = emit.contract("bghqd", "bgkd", "bghqk", grouped, k);
  if (double cap = node.real("softcap", 0))
    scores = emit.mul(emit.tanh(emit.div(scores, emit.scalarLike(scores, cap))), emit.scalarLike(scores, cap));
  Mask mask = maskOf(node, groups, heads / groups, queries, keys, past);
  if (mask.added)
    scores = emit.add(scores, mask.added);
  if (mask.allowed)
    scores = emit.select(mask.allowed, scores, emit.scalarLike(scores, -std::numeric_limits<double>::infinity()));
  Tensor y = emit.contract("bghqk", "bgkd", "bghqd", emit.softmax(scores, 4), v);
  if (mask.allowed)
    y = emit.select(emit.reduce(Reduction::Or, mask.allowed, {mask.allowed->rank() - 1}, true), y,
                    emit.scalarLike(y, 0));
  y = emit.reshape(y, {batch, heads, queries, v->size(3)});
  if (flat)
    y = emit.reshape(emit.transpose(y, {0, 2, 1, 3}), {batch, queries, heads * v->size(3)});
  return {y, k, v};
}

/// The rows of a table of angles for each position, shaped [batch, 1, sequence, size].
Tensor anglesOf(Node &node, int number, Tensor positions) {
  Emitter &emit = node.emit;
  Tensor table = node.operand(number);
  if (positions)
    table = emit.gather(table, positions, 0);
  if (table->rank() != 3)
    throw Invalid(fmt::format("its cos and sin caches have shape {} where [batch, sequence, half] is expected",
                              spellShape(table->shape())));
  return emit.reshape(table, {table->size(0), 1, table->size(1), table->size(2)});
}

/// Turns pairs (a, b) to (a cos - b sin, a sin + b cos). Pairs are neighbours if interleaved, else halves apart.
Tensor rotate(Emitter &emit, Tensor x, Tensor cosine, Tensor sine, bool interleaved) {
  int64_t half = x->size(3) / 2;
  Tensor a = emit.sliceDim(x, 3, 0, half, interleaved ? 2 : 1);
  Tensor b = emit.sliceDim(x, 3, interleaved ? 1 : half, half, interleaved ? 2 : 1);
  Tensor first = emit.sub(emit.mul(a, cosine), emit.mul(b, sine)),
         second = emit.add(emit.mul(a, sine), emit.mul(b, cosine));
  if (!interleaved)
    return emit.concat({first, second}, 3);
  Sizes column(a->shape());
  column.push_back(1);
  return emit.reshape(emit.concat({emit.reshape(first, column), emit.reshape(second, column)}, 4), x->shape());
}

Tensors rotaryEmbedding(Node &node) {
  Emitter &emit = node.emit;
  Tensor given = node.operand(0);
  bool flat = given->rank() == 3;
  Tensor x = splitHeads(emit, given, node.integer("num_heads", 0));
  Tensor cosine = anglesOf(node, 1, node.optional(3)), sine = anglesOf(node, 2, node.optional(3));
  int64_t size = x->size(3), rotated = node.integer("rotary_embedding_dim", 0);
  rotated = rotated == 0 ? size : rotated;
  if (rotated > size || rotated % 2 != 0 || cosine->size(3) != rotated / 2)
    throw Invalid(fmt::format("{} of {} elements of a head are rotated by {} angles", rotated, size, cosine->size(3)));
  Tensor y = rotate(emit, emit.sliceDim(x, 3, 0, rotated), cosine, sine, node.integer("interleaved", 0));
  y = emit.concat({y, emit.sliceDim(x, 3, rotated, size - rotated)}, 3);
  return {flat ? emit.reshape(emit.transpose(y, {0, 2, 1, 3}), given->shape()) : y};
}

constexpr Operator table[] = {
    {"Attention", 23, Types::Float, attention, "no window, no qk_matmul_output, no nonpad_kv_seqlen"},
    {"RotaryEmbedding", 23, Types::Float, rotaryEmbedding},
};

} // namespace

llvm::ArrayRef<Operator> attentionOperators() { return table; }

} // namespace froe::importing

#include "runtime/cpu/Epilogue.h"

#include "runtime/cpu/Activations.h"
#include "runtime/cpu/Elements.h"

#include <algorithm>

namespace froe::cpu {
namespace {

template <class S, class Function> FROE_INLINE void map(S *__restrict row, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = function(row[i]);
}

template <class E, class S, class Function>
FROE_INLINE void combine(S *__restrict row, int64_t count, const E *operand, int64_t stride, Function function) {
  if (stride == 0) {
    S value = load(*operand);
    for (int64_t i = 0; i < count; ++i)
      row[i] = function(row[i], value);
  } else if (stride == 1) {
    for (int64_t i = 0; i < count; ++i)
      row[i] = function(row[i], load(operand[i]));
  } else {
    for (int64_t i = 0; i < count; ++i)
      row[i] = function(row[i], load(operand[i * stride]));
  }
}

/// Where the integer's sign matters.
template <class E, class S> FROE_INLINE S scaleInteger(S sum, double value) {
  return static_cast<S>(static_cast<int64_t>(double(static_cast<E>(sum)) * value));
}

template <class E> FROE_INLINE void activate(froe_post_kind kind, Sum<E> *row, int64_t count) {
  using S = Sum<E>;
  if constexpr (std::is_floating_point_v<S>) {
    switch (kind) {
    case FROE_POST_RELU:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return relu(x); });
    case FROE_POST_GELU_ERF:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return geluErf(x); });
    case FROE_POST_GELU_TANH:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return geluTanh(x); });
    case FROE_POST_SILU:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return silu(x); });
    case FROE_POST_TANH:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return hyperbolicTangent(x); });
    case FROE_POST_SIGMOID:
      return map(row, count, [] [[gnu::always_inline]] (S x) { return sigmoid(x); });
    default:
      return;
    }
  } else if constexpr (std::is_integral_v<E>) {
    if (kind == FROE_POST_RELU)
      map(row, count, [] [[gnu::always_inline]] (S x) { return static_cast<E>(x) < E(0) ? S(0) : x; });
  }
}

template <class E>
FROE_INLINE void apply(const Post &post, Sum<E> *row, int64_t count, const void *buffer, int64_t offset) {
  using S = Sum<E>;
  const E *operand = static_cast<const E *>(buffer) + offset;
  switch (post.kind) {
  case FROE_POST_SCALE:
    if constexpr (std::is_floating_point_v<S>)
      return map(row, count, [value = S(post.value)] [[gnu::always_inline]] (S x) { return x * value; });
    else if constexpr (std::is_integral_v<E>)
      return map(row, count, [&] [[gnu::always_inline]] (S x) { return scaleInteger<E>(x, post.value); });
    return;
  case FROE_POST_ADD:
    return combine(row, count, operand, post.strides.n, [] [[gnu::always_inline]] (S x, S y) { return x + y; });
  case FROE_POST_MUL:
    return combine(row, count, operand, post.strides.n, [] [[gnu::always_inline]] (S x, S y) { return x * y; });
  default:
    return activate<E>(post.kind, row, count);
  }
}

template <class E> FROE_INLINE void storeRow(const Sum<E> *row, int64_t count, E *to, int64_t stride) {
  if (static_cast<const void *>(row) == to)
    return;
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = store<E>(row[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = store<E>(row[i]);
}

template <class E>
FROE_INLINE void finishPart(const Product &product, size_t first, const ResultPart &part, void *const *buffers) {
  int64_t batchOffsets[FROE_MAX_POSTS];
  for (size_t i = first; i < product.posts.size(); ++i)
    batchOffsets[i] = batchOffset(product, product.posts[i].strides, part.batch);
  E *c = static_cast<E *>(buffers[2]) + batchOffset(product, product.c, part.batch);
  for (int64_t r = 0; r < part.rows; ++r) {
    Sum<E> *row = static_cast<Sum<E> *>(part.sums) + r * part.sumsRow;
    int64_t m = part.m + r;
    for (size_t i = first; i < product.posts.size(); ++i) {
      const Post &post = product.posts[i];
      const void *operand = post.buffer < 0 ? nullptr : buffers[post.buffer];
      apply<E>(post, row, part.columns, operand, batchOffsets[i] + m * post.strides.m + part.n * post.strides.n);
    }
    storeRow(row, part.columns, c + m * product.c.m + part.n * product.c.n, product.c.n);
  }
}

template <class E>
FROE_TARGET_AVX512 void finishAvx512(const Product &product, size_t first, const ResultPart &part,
                                     void *const *buffers) {
  finishPart<E>(product, first, part, buffers);
}
template <class E>
FROE_TARGET_AVX2 void finishAvx2(const Product &product, size_t first, const ResultPart &part, void *const *buffers) {
  finishPart<E>(product, first, part, buffers);
}
template <class E>
void finishBaseline(const Product &product, size_t first, const ResultPart &part, void *const *buffers) {
  finishPart<E>(product, first, part, buffers);
}

/// Integers have no activation but relu; bools are added (or) and multiplied (and) only.
bool exists(froe_post_kind kind, froe_type type) {
  if (kind == FROE_POST_ADD || kind == FROE_POST_MUL)
    return true;
  if (type == FROE_BOOL)
    return false;
  bool real = type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16;
  return real || kind == FROE_POST_SCALE || kind == FROE_POST_RELU;
}

} // namespace

const char *nameOf(froe_post_kind kind) {
  static const char *const names[] = {"scale",     "add",  "mul",  "relu",   "gelu_erf",
                                      "gelu_tanh", "silu", "tanh", "sigmoid"};
  return names[kind];
}

Epilogue::Epilogue(const Product &product, size_t first) : product(product), first(first) {
  function = withElementOf(product.resultType, [](auto element) -> Finish {
    using E = decltype(element);
    return isa() == Isa::Avx512 ? finishAvx512<E> : isa() == Isa::Avx2 ? finishAvx2<E> : finishBaseline<E>;
  });
}

std::expected<Epilogue, std::string> Epilogue::prepare(const Product &product, size_t first) {
  for (size_t i = first; i < product.posts.size(); ++i)
    if (!exists(product.posts[i].kind, product.resultType))
      return std::unexpected(std::string("a matrix product of this element type cannot be followed by '") +
                             nameOf(product.posts[i].kind) + "'");
  return Epilogue(product, first);
}

void Epilogue::finish(const ResultPart &part, void *const *buffers) const { function(product, first, part, buffers); }

} // namespace froe::cpu

#include "dialects/Rank/MatmulShape.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace froe::rank {
namespace {

/// Places of a dim's strides: operands, result, then posts.
enum { kLhs, kRhs, kResult, kPosts };

/// One dim of the product: a letter, or several that were joined. A stride is 0 where a tensor lacks the letter.
struct Dim {
  int64_t size = 1;
  SmallVector<int64_t, 6> strides;
  bool inLhs = false, inRhs = false, inResult = false;
};

void addStrides(std::map<char, Dim> &dims, const LetteredShape &tensor, unsigned place, unsigned places) {
  int64_t stride = 1;
  for (size_t i = tensor.letters.size(); i-- > 0;) {
    Dim &dim = dims[tensor.letters[i]];
    dim.strides.resize(places, 0);
    dim.size = std::max(dim.size, tensor.shape[i]);
    if (tensor.shape[i] != 1)
      dim.strides[place] = stride;
    stride *= tensor.shape[i];
  }
}

void noteLetters(std::map<char, Dim> &dims, StringRef letters, bool Dim::*in) {
  for (char letter : letters)
    dims[letter].*in = true;
}

bool canJoin(const Dim &outer, const Dim &inner) {
  for (auto [outerStride, innerStride] : llvm::zip_equal(outer.strides, inner.strides))
    if (outerStride != innerStride * inner.size)
      return false;
  return true;
}

/// Sorts by the stride in one tensor, outermost first, and joins neighbours.
SmallVector<Dim> joined(SmallVector<Dim> dims, unsigned sortBy) {
  llvm::stable_sort(dims, [&](const Dim &a, const Dim &b) { return a.strides[sortBy] > b.strides[sortBy]; });
  SmallVector<Dim> result;
  for (Dim &dim : dims) {
    if (result.empty() || !canJoin(result.back(), dim)) {
      result.push_back(dim);
      continue;
    }
    dim.size *= result.back().size;
    result.back() = dim;
  }
  return result;
}

/// Takes the dim that serves best as m or n: the dense one of the result, else the largest.
Dim takeInner(SmallVector<Dim> &dims, unsigned places) {
  if (dims.empty()) {
    Dim unit;
    unit.strides.resize(places, 0);
    return unit;
  }
  auto best = llvm::find_if(dims, [](const Dim &dim) { return dim.strides[kResult] == 1; });
  if (best == dims.end())
    best = std::max_element(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) { return a.size < b.size; });
  Dim taken = *best;
  dims.erase(best);
  return taken;
}

} // namespace

std::expected<froe_matmul, std::string> stridesOf(const MatmulShape &shape) {
  std::map<char, Dim> letters;
  unsigned places = kPosts + shape.posts.size();
  addStrides(letters, shape.lhs, kLhs, places);
  addStrides(letters, shape.rhs, kRhs, places);
  addStrides(letters, shape.result, kResult, places);
  for (auto [i, post] : llvm::enumerate(shape.posts))
    addStrides(letters, post, kPosts + i, places);
  noteLetters(letters, shape.lhs.letters, &Dim::inLhs);
  noteLetters(letters, shape.rhs.letters, &Dim::inRhs);
  noteLetters(letters, shape.result.letters, &Dim::inResult);

  SmallVector<Dim> batch, m, n, k;
  for (auto &[letter, dim] : letters)
    if (dim.size != 1)
      (!dim.inResult ? k : !dim.inRhs ? m : !dim.inLhs ? n : batch).push_back(dim);

  m = joined(std::move(m), kResult);
  n = joined(std::move(n), kResult);
  k = joined(std::move(k), kRhs);
  if (k.size() > 1)
    return std::unexpected("the dims summed over lie in different orders in the two operands");
  Dim inner = takeInner(n, places), outer = takeInner(m, places), sum = takeInner(k, places);
  batch.append(m);
  batch.append(n);
  batch = joined(std::move(batch), kResult);
  if (batch.size() > FROE_MAX_BATCH)
    return std::unexpected("more than " + std::to_string(FROE_MAX_BATCH) + " batch dims");

  froe_matmul matmul{};
  matmul.weight = -1;
  matmul.m = outer.size, matmul.n = inner.size, matmul.k = sum.size;
  matmul.a_m_stride = outer.strides[kLhs], matmul.a_k_stride = sum.size == 1 ? 1 : sum.strides[kLhs];
  matmul.b_k_stride = sum.strides[kRhs], matmul.b_n_stride = inner.size == 1 ? 1 : inner.strides[kRhs];
  matmul.c_m_stride = outer.strides[kResult], matmul.c_n_stride = inner.size == 1 ? 1 : inner.strides[kResult];
  matmul.batch_rank = batch.size();
  for (auto [i, dim] : llvm::enumerate(batch)) {
    matmul.batch[i] = dim.size;
    matmul.a_batch_stride[i] = dim.strides[kLhs];
    matmul.b_batch_stride[i] = dim.strides[kRhs];
    matmul.c_batch_stride[i] = dim.strides[kResult];
  }
  for (size_t p = 0; p < shape.posts.size() && p < FROE_MAX_POSTS; ++p) {
    froe_post &post = matmul.posts[p];
    post.m_stride = outer.strides[kPosts + p], post.n_stride = inner.strides[kPosts + p];
    for (auto [i, dim] : llvm::enumerate(batch))
      post.batch_stride[i] = dim.strides[kPosts + p];
  }
  return matmul;
}

Subscripts splitSubscripts(StringRef text) {
  auto [operands, result] = text.split("->");
  auto [lhs, rhs] = operands.split(',');
  return {lhs, rhs, result};
}

std::expected<froe_matmul, std::string> describe(MatmulOp op) {
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  Subscripts letters = splitSubscripts(op.getSubscripts());
  MatmulShape shape{{letters.lhs, shapeOf(op.getLhs())},
                    {letters.rhs, shapeOf(op.getRhs())},
                    {letters.result, shapeOf(op.getResult())},
                    {}};
  unsigned operand = 0;
  for (PostAttr post : op.getPosts().getAsRange<PostAttr>())
    if (post.getKind() == PostKind::Add || post.getKind() == PostKind::Mul)
      shape.posts.push_back({post.getLetters().getValue(), shapeOf(op.getPostOperands()[operand++])});
  if (op.getPosts().size() > FROE_MAX_POSTS)
    return std::unexpected("more than " + std::to_string(FROE_MAX_POSTS) + " operations behind one product");
  std::expected<froe_matmul, std::string> matmul = stridesOf(shape);
  if (!matmul)
    return matmul;

  matmul->type = elementTypeOf(op.getLhs().getType());
  matmul->c_type = elementTypeOf(op.getResult().getType());
  matmul->post_count = op.getPosts().size();
  froe_post strides[FROE_MAX_POSTS];
  std::copy(std::begin(matmul->posts), std::end(matmul->posts), strides);
  operand = 0;
  for (auto [i, post] : llvm::enumerate(op.getPosts().getAsRange<PostAttr>())) {
    bool hasOperand = post.getKind() == PostKind::Add || post.getKind() == PostKind::Mul;
    matmul->posts[i] = hasOperand ? strides[operand] : froe_post{};
    matmul->posts[i].kind = int32_t(post.getKind()); // the same order as froe_post_kind, by definition of the enum
    matmul->posts[i].buffer = hasOperand ? 3 + int32_t(operand++) : -1;
    if (post.getValue())
      matmul->posts[i].value = post.getValue().getValue().convertToDouble();
  }
  return matmul;
}

froe_type elementTypeOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return FROE_F32;
  if (type.isF64())
    return FROE_F64;
  if (type.isF16())
    return FROE_F16;
  if (type.isBF16())
    return FROE_BF16;
  if (type.isInteger(1))
    return FROE_BOOL;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? FROE_U8 : FROE_I8;
  case 16:
    return isUnsigned ? FROE_U16 : FROE_I16;
  case 32:
    return isUnsigned ? FROE_U32 : FROE_I32;
  default:
    return isUnsigned ? FROE_U64 : FROE_I64;
  }
}

} // namespace froe::rank

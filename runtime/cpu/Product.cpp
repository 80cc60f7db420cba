#include "runtime/cpu/Product.h"

#include <utility>

using std::size_t;

namespace froe::cpu {
namespace {

/// Every operand's strides, the ones of posts included.
template <class P, class Function> bool allStrides(P &product, Function &&function) {
  bool all = function(product.a) && function(product.b) && function(product.c);
  for (auto &post : product.posts)
    all = all && function(post.strides);
  return all;
}

void eraseBatch(Product &product, size_t dim) {
  product.batch.erase(product.batch.begin() + int64_t(dim));
  allStrides(product, [&](Strides &strides) {
    strides.batch.erase(strides.batch.begin() + int64_t(dim));
    return true;
  });
}

void dropUnitDims(Product &product) {
  for (size_t dim = product.batch.size(); dim-- > 0;)
    if (product.batch[dim] == 1)
      eraseBatch(product, dim);
}

/// Dim `dim` and the next one walk memory like a single dim.
bool joins(const Product &product, size_t dim) {
  return allStrides(product, [&](const Strides &strides) {
    return strides.batch[dim] == strides.batch[dim + 1] * product.batch[dim + 1];
  });
}

void joinDims(Product &product) {
  for (size_t dim = product.batch.size(); dim-- > 1;)
    if (joins(product, dim - 1)) {
      product.batch[dim] *= product.batch[dim - 1];
      eraseBatch(product, dim - 1);
    }
}

/// b lacks the dim, and for the others its elements are just more rows.
bool isRows(const Product &product, size_t dim) {
  if (product.b.batch[dim] != 0)
    return false;
  auto continues = [&](const Strides &strides) {
    return product.m == 1 || strides.batch[dim] == strides.m * product.m;
  };
  for (const Post &post : product.posts)
    if (!continues(post.strides))
      return false;
  return continues(product.a) && continues(product.c);
}

void batchToRows(Product &product) {
  for (size_t dim = product.batch.size(); dim-- > 0;) {
    if (!isRows(product, dim))
      continue;
    if (product.m == 1) {
      product.a.m = product.a.batch[dim];
      product.c.m = product.c.batch[dim];
      for (Post &post : product.posts)
        post.strides.m = post.strides.batch[dim];
    }
    product.m *= product.batch[dim];
    eraseBatch(product, dim);
  }
}

void transpose(Product &product) {
  std::swap(product.m, product.n);
  std::swap(product.a, product.b);
  std::swap(product.aBuffer, product.bBuffer);
  allStrides(product, [](Strides &strides) {
    std::swap(strides.m, strides.n);
    return true;
  });
}

/// Batch strides of a packed weight, in matrices.
std::vector<int64_t> matrixStrides(const froe_matmul &matmul) {
  std::vector<int64_t> strides(matmul.batch_rank, 0);
  int64_t matrices = 1;
  for (int dim = matmul.batch_rank; dim-- > 0;)
    if (matmul.b_batch_stride[dim] != 0) {
      strides[dim] = matrices;
      matrices *= matmul.batch[dim];
    }
  return strides;
}

Strides stridesOf(const froe_matmul &matmul, const int64_t *batch, int64_t m, int64_t n) {
  return {{batch, batch + matmul.batch_rank}, m, n};
}

} // namespace

int64_t Product::batchSize() const {
  int64_t size = 1;
  for (int64_t dim : batch)
    size *= dim;
  return size;
}

Product normalize(const froe_matmul &matmul) {
  Product product{.type = static_cast<froe_type>(matmul.type),
                  .resultType = static_cast<froe_type>(matmul.c_type),
                  .weight = matmul.weight >= 0,
                  .batch = {matmul.batch, matmul.batch + matmul.batch_rank},
                  .m = matmul.m,
                  .n = matmul.n,
                  .k = matmul.k};
  product.a = stridesOf(matmul, matmul.a_batch_stride, matmul.a_m_stride, matmul.a_k_stride);
  product.b = stridesOf(matmul, matmul.b_batch_stride, matmul.b_k_stride, matmul.b_n_stride);
  product.c = stridesOf(matmul, matmul.c_batch_stride, matmul.c_m_stride, matmul.c_n_stride);
  if (product.weight)
    product.b.batch = matrixStrides(matmul);
  for (int i = 0; i < matmul.post_count; ++i) {
    const froe_post &post = matmul.posts[i];
    Strides strides{std::vector<int64_t>(matmul.batch_rank, 0), 0, 0};
    int buffer = -1;
    if (post.kind == FROE_POST_ADD || post.kind == FROE_POST_MUL) {
      strides = stridesOf(matmul, post.batch_stride, post.m_stride, post.n_stride);
      buffer = post.buffer;
    }
    product.posts.push_back({static_cast<froe_post_kind>(post.kind), buffer, post.value, std::move(strides)});
  }
  if (!product.weight && product.c.n != 1 && product.c.m == 1 && product.n > 1)
    transpose(product);
  dropUnitDims(product);
  joinDims(product);
  batchToRows(product);
  return product;
}

int64_t weightMatrices(const froe_matmul &matmul) {
  int64_t matrices = 1;
  for (int dim = 0; dim < matmul.batch_rank; ++dim)
    matrices *= matmul.b_batch_stride[dim] != 0 ? matmul.batch[dim] : 1;
  return matrices;
}

int64_t batchOffset(const Product &product, const Strides &strides, int64_t index) {
  int64_t offset = 0;
  for (size_t dim = product.batch.size(); dim-- > 0; index /= product.batch[dim])
    offset += index % product.batch[dim] * strides.batch[dim];
  return offset;
}

} // namespace froe::cpu

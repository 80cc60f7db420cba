#pragma once

#include "froe_rt.h"

#include <cstdint>
#include <vector>

namespace froe::cpu {

/// Strides of one operand of a product, in elements, batch dims major first.
struct Strides {
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0;
};

/// One operation on the result, with the place of its operand among the call's buffers.
struct Post {
  froe_post_kind kind;
  int buffer = -1;
  float value = 0;
  Strides strides;
};

/// A matrix product in normal form: no batch dims of size 1, neighbouring batch dims joined where every operand allows
/// it, batch dims that b does not have counted as rows, and, where c is stored by columns, its transpose instead.
///
/// `weight`: b is packed; its batch strides then count matrices, k and n strides mean nothing.
struct Product {
  froe_type type = FROE_F32, resultType = FROE_F32; /* the latter of c and of the operands of posts */
  bool weight = false;
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
  Strides a = {}, b = {}, c = {}; /* a: (m, k as n); b: (k as m, n); c: (m, n) */
  int aBuffer = 0, bBuffer = 1;   /* swapped in a transposed product */
  std::vector<Post> posts = {};

  int64_t batchSize() const;
  double flops() const { return 2.0 * double(batchSize()) * double(m) * double(n) * double(k); }
};

Product normalize(const froe_matmul &matmul);

/// How many matrices a packed weight holds: batch dims that b broadcasts count once.
int64_t weightMatrices(const froe_matmul &matmul);

/// Offset of a batch element of a tensor with these strides; `index` counts batch elements in row-major order.
int64_t batchOffset(const Product &product, const Strides &strides, int64_t index);

} // namespace froe::cpu

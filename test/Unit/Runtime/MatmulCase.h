#pragma once

#include "froe_rt.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// A matrix product with random operands, and its result by plain loops in double.
struct MatmulCase {
  froe_matmul matmul{};
  std::vector<std::vector<std::byte>> tensors; /* a, b, c, operands of posts */
  std::vector<double> expected;                /* [batch][m][n] */
  std::vector<double> magnitude;               /* the same sums with absolute values: what rounding is relative to */

  /// Dense, row-major: a [batch][m][k], b [batch][k][n], c [batch][m][n]. Change strides before `fill`.
  MatmulCase(froe_type type, std::vector<int64_t> batch, int64_t m, int64_t n, int64_t k);

  MatmulCase &transposeLeft();  /* a stored [batch][k][m] */
  MatmulCase &transposeRight(); /* b stored [batch][n][k] */
  MatmulCase &broadcastRight(); /* b without batch dims */
  MatmulCase &post(froe_post_kind kind, float value = 0);
  enum Operand { Row, Full, Scalar, Column, BatchRow };
  MatmulCase &post(froe_post_kind kind, Operand operand);

  /// Allocates and draws the operands, and computes what is expected.
  void fill(unsigned seed);
  std::vector<void *> buffers();
  /// The message of the first element of c that is not as expected, or an empty string.
  std::string mismatch() const;

  double read(int buffer, int64_t index) const;
  void write(int buffer, int64_t index, double value);

private:
  template <class Visit> void eachElement(Visit &&visit) const;
  void compute();
};

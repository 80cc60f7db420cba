#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace froe::fold {

/// What tables hold: seconds. Infinity excludes.
using Number = double;

/// A dense matrix, row by row.
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<Number> values;

  Matrix() = default;
  Matrix(int rows, int columns, Number value = 0)
      : rows(rows), columns(columns), values(static_cast<std::size_t>(rows) * columns, value) {}

  Number *row(int index) { return values.data() + static_cast<std::size_t>(index) * columns; }
  const Number *row(int index) const { return values.data() + static_cast<std::size_t>(index) * columns; }
};

Matrix transpose(const Matrix &matrix);

/// The min-plus product: `result[i][j]` is the smallest `left[i][k] + right[k][j]` of all k.
Matrix minPlus(const Matrix &left, const Matrix &right);
/// The same with the transpose of `left`: its smallest `left[k][i] + right[k][j]`.
Matrix minPlusTransposed(const Matrix &left, const Matrix &right);

/// The smallest of so many numbers, infinity of none.
Number leastOf(const Number *values, std::size_t count);

/// The largest of so many numbers that is not infinite, 0 if none is above.
Number largestFiniteOf(const Number *values, std::size_t count);

/// Takes each number into its hash.
void hashEach(std::uint64_t *hashes, const Number *values, int count);

/// Makes `to[i]` at most `from[i] + addend`.
void relax(Number *to, const Number *from, Number addend, int count);

} // namespace froe::fold

#include "MinPlus.h"

#include <algorithm>
#include <cstring>
#include <limits>

// One source for all widths of vectors; the loader picks the widest that the processor has.
#define FROE_ALL_WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))

namespace froe::fold {

namespace {
constexpr int kLanes = 64 / sizeof(Number), kRows = 4;
using Lanes = Number __attribute__((vector_size(64)));

/// Columns of a matrix in strips of kLanes, each strip one behind the other row by row, the last filled up.
struct Strips {
  explicit Strips(const Matrix &matrix) : rows(matrix.rows), count((matrix.columns + kLanes - 1) / kLanes) {
    values.assign(static_cast<size_t>(count) * rows * kLanes, std::numeric_limits<Number>::infinity());
    for (int strip = 0; strip < count; ++strip) {
      int begin = strip * kLanes, width = std::min(kLanes, matrix.columns - begin);
      for (int k = 0; k < rows; ++k)
        std::copy_n(matrix.row(k) + begin, width, at(strip) + static_cast<size_t>(k) * kLanes);
    }
  }
  Number *at(int strip) { return values.data() + static_cast<size_t>(strip) * rows * kLanes; }

  int rows, count;
  std::vector<Number> values;
};

/// kRows rows of the product (`left` has `depth` numbers for each, one row behind the other) times one strip.
FROE_ALL_WIDTHS void multiplyStrip(const Number *left, const Number *strip, int depth, Number *result) {
  Lanes least[kRows];
  for (Lanes &lanes : least)
    lanes = Lanes{} + std::numeric_limits<Number>::infinity();
  for (int k = 0; k < depth; ++k) {
    Lanes right;
    std::memcpy(&right, strip + static_cast<size_t>(k) * kLanes, sizeof right);
    for (int i = 0; i < kRows; ++i) {
      Lanes sum = right + left[static_cast<size_t>(i) * depth + k];
      least[i] = sum < least[i] ? sum : least[i];
    }
  }
  std::memcpy(result, least, sizeof least);
}
} // namespace

Matrix transpose(const Matrix &matrix) {
  Matrix result(matrix.columns, matrix.rows);
  for (int i = 0; i < matrix.rows; ++i)
    for (int j = 0; j < matrix.columns; ++j)
      result.row(j)[i] = matrix.row(i)[j];
  return result;
}

Matrix minPlus(const Matrix &left, const Matrix &right) {
  Matrix result(left.rows, right.columns);
  Strips strips(right);
  int depth = left.columns;
  std::vector<Number> lastRows(static_cast<size_t>(kRows) * depth);
  Number block[kRows * kLanes];
  for (int begin = 0; begin < left.rows; begin += kRows) {
    int height = std::min(kRows, left.rows - begin);
    const Number *rows = left.row(begin);
    if (height < kRows) {
      std::copy_n(rows, static_cast<size_t>(height) * depth, lastRows.data());
      rows = lastRows.data();
    }
    for (int strip = 0; strip < strips.count; ++strip) {
      multiplyStrip(rows, strips.at(strip), depth, block);
      int column = strip * kLanes, width = std::min(kLanes, right.columns - column);
      for (int i = 0; i < height; ++i)
        std::copy_n(block + i * kLanes, width, result.row(begin + i) + column);
    }
  }
  return result;
}

FROE_ALL_WIDTHS void relax(Number *to, const Number *from, Number addend, int count) {
  for (int i = 0; i < count; ++i) {
    Number sum = from[i] + addend;
    to[i] = sum < to[i] ? sum : to[i];
  }
}

} // namespace froe::fold

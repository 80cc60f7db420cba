#include "MinPlus.h"

#include <algorithm>
#include <bit>
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

/// How a matrix lies in memory: entry (i, k) is `i * row + k * depth` numbers behind the first.
struct Strides {
  size_t row, depth;
};

/// kRows rows of the product times one strip.
FROE_ALL_WIDTHS void multiplyStrip(const Number *left, Strides strides, const Number *strip, int depth,
                                   Number *result) {
  Lanes least[kRows];
  for (Lanes &lanes : least)
    lanes = Lanes{} + std::numeric_limits<Number>::infinity();
  for (int k = 0; k < depth; ++k, left += strides.depth) {
    Lanes right;
    std::memcpy(&right, strip + static_cast<size_t>(k) * kLanes, sizeof right);
    for (int i = 0; i < kRows; ++i) {
      Lanes sum = right + left[i * strides.row];
      least[i] = sum < least[i] ? sum : least[i];
    }
  }
  std::memcpy(result, least, sizeof least);
}

Matrix multiply(const Matrix &left, Strides strides, int rows, const Matrix &right) {
  Matrix result(rows, right.columns);
  Strips strips(right);
  int depth = right.rows;
  std::vector<Number> lastRows(static_cast<size_t>(kRows) * depth);
  Number block[kRows * kLanes];
  for (int begin = 0; begin < rows; begin += kRows) {
    int height = std::min(kRows, rows - begin);
    const Number *first = left.values.data() + begin * strides.row;
    Strides used = strides;
    if (height < kRows) {
      used = {static_cast<size_t>(depth), 1};
      for (int i = 0; i < height; ++i)
        for (int k = 0; k < depth; ++k)
          lastRows[i * used.row + k] = first[i * strides.row + k * strides.depth];
      first = lastRows.data();
    }
    for (int strip = 0; strip < strips.count; ++strip) {
      multiplyStrip(first, used, strips.at(strip), depth, block);
      int column = strip * kLanes, width = std::min(kLanes, right.columns - column);
      for (int i = 0; i < height; ++i)
        std::copy_n(block + i * kLanes, width, result.row(begin + i) + column);
    }
  }
  return result;
}
} // namespace

Matrix transpose(const Matrix &matrix) {
  Matrix result(matrix.columns, matrix.rows);
  constexpr int kBlock = 8; // a cache line
  for (int block = 0; block < matrix.rows; block += kBlock)
    for (int j = 0; j < matrix.columns; ++j)
      for (int i = block; i < std::min(block + kBlock, matrix.rows); ++i)
        result.row(j)[i] = matrix.row(i)[j];
  return result;
}

Matrix minPlus(const Matrix &left, const Matrix &right) {
  return multiply(left, {static_cast<size_t>(left.columns), 1}, left.rows, right);
}

Matrix minPlusTransposed(const Matrix &left, const Matrix &right) {
  return multiply(left, {1, static_cast<size_t>(left.columns)}, left.columns, right);
}

FROE_ALL_WIDTHS Number leastOf(const Number *values, size_t count) {
  Lanes least = Lanes{} + std::numeric_limits<Number>::infinity();
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes next;
    std::memcpy(&next, values + i, sizeof next);
    least = next < least ? next : least;
  }
  Number result = std::numeric_limits<Number>::infinity();
  for (int lane = 0; lane < kLanes; ++lane)
    result = std::min(result, least[lane]);
  for (; i < count; ++i)
    result = std::min(result, values[i]);
  return result;
}

FROE_ALL_WIDTHS Number largestFiniteOf(const Number *values, size_t count) {
  constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
  Lanes most = Lanes{};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes next;
    std::memcpy(&next, values + i, sizeof next);
    next = next < kInfinity ? next : Lanes{};
    most = next > most ? next : most;
  }
  Number result = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    result = std::max(result, most[lane]);
  for (; i < count; ++i)
    result = std::max(result, values[i] < kInfinity ? values[i] : 0);
  return result;
}

FROE_ALL_WIDTHS void hashEach(uint64_t *hashes, const Number *values, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t hash = (hashes[i] ^ std::bit_cast<uint64_t>(values[i])) * 0x9e3779b97f4a7c15;
    hashes[i] = hash ^ hash >> 32;
  }
}

FROE_ALL_WIDTHS void relax(Number *to, const Number *from, Number addend, int count) {
  for (int i = 0; i < count; ++i) {
    Number sum = from[i] + addend;
    to[i] = sum < to[i] ? sum : to[i];
  }
}

} // namespace froe::fold

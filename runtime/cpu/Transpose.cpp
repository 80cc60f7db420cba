#include "runtime/cpu/Transpose.h"

#include "runtime/cpu/Isa.h"

#include <utility>

namespace froe::cpu {
namespace {

template <int lanes> struct VectorOf {
  typedef uint32_t type __attribute__((vector_size(lanes * 4), aligned(4)));
};
template <int lanes> using Vector = typename VectorOf<lanes>::type;

// A square is transposed by exchanging, for each bit of the index, what lies off the diagonal in pairs of rows.
template <int bit, int lanes, int... lane>
FROE_INLINE void exchange(Vector<lanes> &low, Vector<lanes> &high, std::integer_sequence<int, lane...>) {
  Vector<lanes> first = low, second = high;
  low = __builtin_shufflevector(first, second, ((lane & bit) ? lanes + lane - bit : lane)...);
  high = __builtin_shufflevector(first, second, ((lane & bit) ? lanes + lane : lane + bit)...);
}

template <int bit, int lanes> FROE_INLINE void exchangeRows(Vector<lanes> (&rows)[lanes]) {
#pragma unroll
  for (int row = 0; row < lanes; ++row)
    if (!(row & bit))
      exchange<bit, lanes>(rows[row], rows[row + bit], std::make_integer_sequence<int, lanes>());
  if constexpr (bit * 2 < lanes)
    exchangeRows<bit * 2, lanes>(rows);
}

template <int lanes>
FROE_INLINE void transpose(const uint32_t *from, int64_t fromRow, int64_t rows, int64_t columns, uint32_t *to,
                           int64_t toRow) {
  int64_t r = 0;
  for (; r + lanes <= rows; r += lanes) {
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) {
      Vector<lanes> square[lanes];
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        square[i] = *reinterpret_cast<const Vector<lanes> *>(from + (r + i) * fromRow + c);
      exchangeRows<1, lanes>(square);
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        *reinterpret_cast<Vector<lanes> *>(to + (c + i) * toRow + r) = square[i];
    }
    for (; c < columns; ++c)
      for (int i = 0; i < lanes; ++i)
        to[c * toRow + r + i] = from[(r + i) * fromRow + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      to[c * toRow + r] = from[r * fromRow + c];
}

FROE_TARGET_AVX512 void transposeAvx512(const uint32_t *from, int64_t fromRow, int64_t rows, int64_t columns,
                                        uint32_t *to, int64_t toRow) {
  transpose<16>(from, fromRow, rows, columns, to, toRow);
}
FROE_TARGET_AVX2 void transposeAvx2(const uint32_t *from, int64_t fromRow, int64_t rows, int64_t columns, uint32_t *to,
                                    int64_t toRow) {
  transpose<8>(from, fromRow, rows, columns, to, toRow);
}

} // namespace

void transposeWords(const void *from, int64_t fromRow, int64_t rows, int64_t columns, void *to, int64_t toRow) {
  const uint32_t *source = static_cast<const uint32_t *>(from);
  uint32_t *target = static_cast<uint32_t *>(to);
  if (isa() == Isa::Avx512)
    return transposeAvx512(source, fromRow, rows, columns, target, toRow);
  if (isa() == Isa::Avx2)
    return transposeAvx2(source, fromRow, rows, columns, target, toRow);
  transpose<4>(source, fromRow, rows, columns, target, toRow);
}

} // namespace froe::cpu

#pragma once

#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Isa.h"

#include <cstdint>

namespace froe::cpu {

/// sums[r][j] (+)= sum over k of a[r * aRow + k * aStep] * b[k * bStep + j], j in [0, width): one tile of a product
/// whose sums stay in registers. Rows of `sums` lie `sumsRow` apart; what is behind n in b must be readable (and may be
/// anything). With every step `perStep` bytes (whole cache lines) from `next` on are prefetched: the hardware's own
/// prefetch stops at the end of every page.
struct Prefetch {
  const char *next;
  int64_t perStep;
};
template <class S, class B>
using TileFunction = void (*)(const S *a, int64_t aRow, int64_t aStep, const B *b, int64_t bStep, int64_t k, S *sums,
                              int64_t sumsRow, bool accumulate, Prefetch prefetch);

inline constexpr int kMaxTileRows = 6;

/// The tile kernels of this processor for sums in S and a right operand stored as B.
template <class S, class B> struct TileKernels {
  int width;                                /* columns of a tile */
  TileFunction<S, B> run[kMaxTileRows + 1]; /* by the number of rows, from 1 */
};

template <class S, class B> const TileKernels<S, B> &tileKernels();

/// Bytes of sums that a row of a tile holds: its width, in any type of sums.
constexpr int tileRowBytes(Isa isa) { return isa == Isa::Avx512 ? 256 : isa == Isa::Avx2 ? 64 : 32; }

/// sums[r][j] = dot(a row r, b column j) where both run along k without gaps: for few rows, where b is read only once.
using DotFunction = void (*)(const float *a, int64_t aRow, const float *b, int64_t bColumn, int64_t k, int64_t rows,
                             int64_t columns, float *sums, int64_t sumsRow);
DotFunction dotKernel();

} // namespace froe::cpu

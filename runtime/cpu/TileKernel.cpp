#include "runtime/cpu/TileKernel.h"

namespace froe::cpu {
namespace {

template <class T, int bytes> struct VectorOf {
  typedef T type __attribute__((vector_size(bytes), aligned(sizeof(T))));
};
template <class T, int bytes> using Vector = typename VectorOf<T, bytes>::type;

/// `lanes` stored elements, widened to sums.
template <class S, class B, int bytes> FROE_INLINE Vector<S, bytes> widen(const B *from) {
  constexpr int lanes = bytes / sizeof(S);
  if constexpr (std::is_same_v<B, BFloat>) {
    auto narrow = *reinterpret_cast<const Vector<uint16_t, lanes * 2> *>(from);
    auto wide = __builtin_convertvector(narrow, Vector<uint32_t, bytes>) << 16;
    return reinterpret_cast<Vector<float, bytes> &>(wide);
  } else if constexpr (std::is_same_v<B, Half> && bytes >= 32) {
    auto narrow = *reinterpret_cast<const Vector<_Float16, lanes * 2> *>(from);
    return __builtin_convertvector(narrow, Vector<float, bytes>);
  } else if constexpr (std::is_same_v<B, Half>) {
    Vector<float, bytes> wide;
    for (int i = 0; i < lanes; ++i)
      wide[i] = toFloat(from[i]);
    return wide;
  } else {
    return *reinterpret_cast<const Vector<S, bytes> *>(from);
  }
}

template <class S, class B, int bytes, int rows, int vectors>
FROE_INLINE void tile(const S *__restrict a, int64_t aRow, int64_t aStep, const B *__restrict b, int64_t bStep,
                      int64_t k, S *__restrict sums, int64_t sumsRow, bool accumulate, Prefetch prefetch) {
  using V = Vector<S, bytes>;
  constexpr int lanes = bytes / sizeof(S);
  V sum[rows][vectors];
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      sum[r][v] = V{};
  for (int64_t i = 0; i < k; ++i, a += aStep, b += bStep) {
    V right[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      right[v] = widen<S, B, bytes>(b + v * lanes);
      if (v * 64 < prefetch.perStep)
        __builtin_prefetch(prefetch.next + v * 64);
    }
    prefetch.next += prefetch.perStep;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      V left;
#pragma unroll
      for (int lane = 0; lane < lanes; ++lane)
        left[lane] = a[r * aRow];
#pragma unroll
      for (int v = 0; v < vectors; ++v)
        sum[r][v] = sum[r][v] + left * right[v];
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      V *place = reinterpret_cast<V *>(sums + r * sumsRow + v * lanes);
      *place = accumulate ? *place + sum[r][v] : sum[r][v];
    }
}

// Registers: 32 of 64 bytes hold 6 x 4 sums, 4 columns and a row; 16 of 32 (or 16) bytes hold 6 x 2 sums, 2 columns and
// a row.
template <class S, class B, int rows>
FROE_TARGET_AVX512 void tileAvx512(const S *a, int64_t aRow, int64_t aStep, const B *b, int64_t bStep, int64_t k,
                                   S *sums, int64_t sumsRow, bool accumulate, Prefetch prefetch) {
  tile<S, B, 64, rows, 4>(a, aRow, aStep, b, bStep, k, sums, sumsRow, accumulate, prefetch);
}
template <class S, class B, int rows>
FROE_TARGET_AVX2 void tileAvx2(const S *a, int64_t aRow, int64_t aStep, const B *b, int64_t bStep, int64_t k, S *sums,
                               int64_t sumsRow, bool accumulate, Prefetch prefetch) {
  tile<S, B, 32, rows, 2>(a, aRow, aStep, b, bStep, k, sums, sumsRow, accumulate, prefetch);
}
template <class S, class B, int rows>
void tileBaseline(const S *a, int64_t aRow, int64_t aStep, const B *b, int64_t bStep, int64_t k, S *sums,
                  int64_t sumsRow, bool accumulate, Prefetch prefetch) {
  tile<S, B, 16, rows, 2>(a, aRow, aStep, b, bStep, k, sums, sumsRow, accumulate, prefetch);
}

template <class S, class B> TileKernels<S, B> kernelsFor(Isa isa) {
  using K = TileKernels<S, B>;
  const int width = tileRowBytes(isa) / int(sizeof(S));
  switch (isa) {
  case Isa::Avx512:
    return K{width,
             {nullptr, tileAvx512<S, B, 1>, tileAvx512<S, B, 2>, tileAvx512<S, B, 3>, tileAvx512<S, B, 4>,
              tileAvx512<S, B, 5>, tileAvx512<S, B, 6>}};
  case Isa::Avx2:
    return K{width,
             {nullptr, tileAvx2<S, B, 1>, tileAvx2<S, B, 2>, tileAvx2<S, B, 3>, tileAvx2<S, B, 4>, tileAvx2<S, B, 5>,
              tileAvx2<S, B, 6>}};
  case Isa::Baseline:
    return K{width,
             {nullptr, tileBaseline<S, B, 1>, tileBaseline<S, B, 2>, tileBaseline<S, B, 3>, tileBaseline<S, B, 4>,
              tileBaseline<S, B, 5>, tileBaseline<S, B, 6>}};
  }
  __builtin_unreachable();
}

template <int bytes>
FROE_INLINE void dots(const float *a, int64_t aRow, const float *b, int64_t bColumn, int64_t k, int64_t rows,
                      int64_t columns, float *sums, int64_t sumsRow) {
  using V = Vector<float, bytes>;
  constexpr int lanes = bytes / 4, group = 4;
  for (int64_t c = 0; c < columns; c += group)
    for (int64_t r = 0; r < rows; ++r) {
      const float *left = a + r * aRow;
      const float *right[group];
      for (int g = 0; g < group; ++g)
        right[g] = b + (c + g < columns ? c + g : columns - 1) * bColumn;
      V sum[group] = {};
      int64_t i = 0;
      for (; i + lanes <= k; i += lanes)
        for (int g = 0; g < group; ++g)
          sum[g] = sum[g] + *reinterpret_cast<const V *>(left + i) * *reinterpret_cast<const V *>(right[g] + i);
      for (int g = 0; g < group && c + g < columns; ++g) {
        float total = 0;
        for (int lane = 0; lane < lanes; ++lane)
          total += sum[g][lane];
        for (int64_t j = i; j < k; ++j)
          total += left[j] * right[g][j];
        sums[r * sumsRow + c + g] = total;
      }
    }
}
FROE_TARGET_AVX512 void dotsAvx512(const float *a, int64_t aRow, const float *b, int64_t bColumn, int64_t k,
                                   int64_t rows, int64_t columns, float *sums, int64_t sumsRow) {
  dots<64>(a, aRow, b, bColumn, k, rows, columns, sums, sumsRow);
}
FROE_TARGET_AVX2 void dotsAvx2(const float *a, int64_t aRow, const float *b, int64_t bColumn, int64_t k, int64_t rows,
                               int64_t columns, float *sums, int64_t sumsRow) {
  dots<32>(a, aRow, b, bColumn, k, rows, columns, sums, sumsRow);
}
void dotsBaseline(const float *a, int64_t aRow, const float *b, int64_t bColumn, int64_t k, int64_t rows,
                  int64_t columns, float *sums, int64_t sumsRow) {
  dots<16>(a, aRow, b, bColumn, k, rows, columns, sums, sumsRow);
}

} // namespace

template <class S, class B> const TileKernels<S, B> &tileKernels() {
  static const TileKernels<S, B> kernels = kernelsFor<S, B>(isa());
  return kernels;
}
template const TileKernels<float, float> &tileKernels();
template const TileKernels<float, BFloat> &tileKernels();
template const TileKernels<float, Half> &tileKernels();
template const TileKernels<double, double> &tileKernels();
template const TileKernels<uint32_t, uint32_t> &tileKernels();
template const TileKernels<uint64_t, uint64_t> &tileKernels();

DotFunction dotKernel() { return isa() == Isa::Avx512 ? dotsAvx512 : isa() == Isa::Avx2 ? dotsAvx2 : dotsBaseline; }

} // namespace froe::cpu

#pragma once

#include "runtime/cpu/Isa.h"

#include <bit>
#include <cmath>
#include <cstdint>

// Branch-free, so that loops over them vectorise; NaN and infinities come out as from the functions of <cmath>.
namespace froe::cpu {

FROE_INLINE float clamp(float x, float low, float high) {
  x = x < low ? low : x; // NaN fails both comparisons and stays
  return x > high ? high : x;
}

/// 2^n for n in [-126, 127], as bits.
FROE_INLINE float powerOfTwo(int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

/// Cody-Waite reduction and the minimax polynomial of Cephes' expf: below 2 ulp.
FROE_INLINE float exponential(float x) {
  x = clamp(x, -104.0f, 89.0f);
  constexpr float magic = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer in the low bits
  float shifted = x * 1.44269504088896341f + magic;
  int32_t n = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(magic);
  float whole = shifted - magic;
  float r = x - whole * 0.693359375f + whole * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  n = n < -152 ? -152 : n > 130 ? 130 : n; // of a NaN: anything
  int32_t half = n >> 1;
  return p * powerOfTwo(half) * powerOfTwo(n - half);
}

/// The rational approximation of Eigen's ptanh_float: below 3 ulp.
FROE_INLINE float hyperbolicTangent(float x) {
  x = clamp(x, -7.90531110763549805f, 7.90531110763549805f);
  float s = x * x;
  float p = -2.76076847742355e-16f;
  p = p * s + 2.00018790482477e-13f;
  p = p * s + -8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  float q = 1.19825839466702e-06f;
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  return x * p / q;
}

/// The rational approximation of XLA's EmitErfF32 (clamped to [-4, 4]): absolute error below 3e-7.
FROE_INLINE float errorFunction(float x) {
  x = clamp(x, -4.0f, 4.0f);
  float s = x * x;
  float p = -2.72614225801306e-10f;
  p = p * s + 2.77068142495902e-08f;
  p = p * s + -2.10102402082508e-06f;
  p = p * s + -5.69250639462346e-05f;
  p = p * s + -7.34990630326855e-04f;
  p = p * s + -2.95459980854025e-03f;
  p = p * s + -1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * s + -2.13374055278905e-04f;
  q = q * s + -1.68282697438203e-03f;
  q = q * s + -7.37332916720468e-03f;
  q = q * s + -1.42647390514189e-02f;
  return x * p / q;
}

FROE_INLINE double exponential(double x) { return std::exp(x); }
FROE_INLINE double hyperbolicTangent(double x) { return std::tanh(x); }
FROE_INLINE double errorFunction(double x) { return std::erf(x); }

template <class T> FROE_INLINE T sigmoid(T x) { return T(1) / (T(1) + exponential(-x)); }
template <class T> FROE_INLINE T silu(T x) { return x / (T(1) + exponential(-x)); }
template <class T> FROE_INLINE T geluErf(T x) {
  return T(0.5) * x * (T(1) + errorFunction(x * T(0.70710678118654752440)));
}
template <class T> FROE_INLINE T geluTanh(T x) {
  T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + hyperbolicTangent(inner));
}
/// NaN stays NaN.
template <class T> FROE_INLINE T relu(T x) { return x < T(0) ? T(0) : x; }

} // namespace froe::cpu

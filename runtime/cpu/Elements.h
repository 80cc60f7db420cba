#pragma once

#include "froe_rt.h"
#include "runtime/cpu/Isa.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace froe::cpu {

/// Storage of the two half-precision types and of bool; arithmetic happens in float and uint32_t.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};

inline int64_t bytesOf(int32_t type) {
  switch (static_cast<froe_type>(type)) {
  case FROE_F64:
  case FROE_I64:
  case FROE_U64:
    return 8;
  case FROE_F32:
  case FROE_I32:
  case FROE_U32:
    return 4;
  case FROE_F16:
  case FROE_BF16:
  case FROE_I16:
  case FROE_U16:
    return 2;
  case FROE_I8:
  case FROE_U8:
  case FROE_BOOL:
    return 1;
  }
  std::abort();
}

/// Calls `function` with a value of the C++ type that stores `type`.
template <class Function> auto withElementOf(int32_t type, Function &&function) {
  switch (static_cast<froe_type>(type)) {
  case FROE_F32:
    return function(float());
  case FROE_F64:
    return function(double());
  case FROE_F16:
    return function(Half());
  case FROE_BF16:
    return function(BFloat());
  case FROE_I8:
    return function(int8_t());
  case FROE_I16:
    return function(int16_t());
  case FROE_I32:
    return function(int32_t());
  case FROE_I64:
    return function(int64_t());
  case FROE_U8:
    return function(uint8_t());
  case FROE_U16:
    return function(uint16_t());
  case FROE_U32:
    return function(uint32_t());
  case FROE_U64:
    return function(uint64_t());
  case FROE_BOOL:
    return function(Bool());
  }
  std::abort();
}

/// The type in which sums of E are kept. Integers wrap, and the low bits of a sum of products do not depend on what is
/// above them, so unsigned words serve all of them.
template <class E> struct SumOf {
  using type = std::conditional_t<sizeof(E) == 8, uint64_t, uint32_t>;
};
template <> struct SumOf<float> {
  using type = float;
};
template <> struct SumOf<double> {
  using type = double;
};
template <> struct SumOf<Half> {
  using type = float;
};
template <> struct SumOf<BFloat> {
  using type = float;
};
template <class E> using Sum = typename SumOf<E>::type;

FROE_INLINE float toFloat(BFloat value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }

/// Subnormals, infinities and NaN included: the exponent is rebased by an exact multiplication.
FROE_INLINE float toFloat(Half value) {
  uint32_t shifted = uint32_t(value.bits & 0x7fff) << 13;
  float magnitude = std::bit_cast<float>(shifted) * 0x1p112f;
  uint32_t special = (value.bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | special | uint32_t(value.bits & 0x8000) << 16);
}

/// Both round to nearest, ties to even; NaN stays NaN.
FROE_INLINE BFloat toBFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {uint16_t(value != value ? bits >> 16 | 0x40 : rounded)};
}
FROE_INLINE Half toHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // Below the smallest normal half the adder of the processor rounds, at the right bit, for us.
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t rounded = magnitude < 0x38800000 ? subnormal : normal > 0x7c00 ? 0x7c00 : normal;
  uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  return {uint16_t((magnitude >= 0x7f800000 ? special : rounded) | sign)};
}

template <class E> FROE_INLINE Sum<E> load(E value) {
  if constexpr (std::is_same_v<E, Half> || std::is_same_v<E, BFloat>)
    return toFloat(value);
  else if constexpr (std::is_same_v<E, Bool>)
    return value.value != 0;
  else
    return static_cast<Sum<E>>(value);
}

template <class E> FROE_INLINE E store(Sum<E> sum) {
  if constexpr (std::is_same_v<E, Half>)
    return toHalf(sum);
  else if constexpr (std::is_same_v<E, BFloat>)
    return toBFloat(sum);
  else if constexpr (std::is_same_v<E, Bool>)
    return {uint8_t(sum != 0)};
  else
    return static_cast<E>(sum);
}

} // namespace froe::cpu

#include "WarpProduct.h"

#include <bit>
#include <cmath>

namespace {

float numberOf(uint16_t bits, bool isBf16) {
  if (isBf16)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  return sign *
         (exponent ? std::ldexp(1024.0f + float(fraction), int(exponent) - 25) : std::ldexp(float(fraction), -24));
}

float half(int32_t word, uint32_t which, bool isBf16) {
  return numberOf(uint16_t(uint32_t(word) >> 16 * which), isBf16);
}

} // namespace

void WarpProduct::take(uint32_t lane, const Share &share) {
  uint32_t group = lane / 4, pair = lane % 4;
  for (uint32_t which = 0; which < 2; ++which) {
    for (uint32_t word = 0; word < 4; ++word)
      left[group + 8 * (word % 2)][2 * pair + which + 8 * (word / 2)] = half(share.left[word], which, share.isBf16);
    for (uint32_t word = 0; word < 2; ++word)
      right[2 * pair + which + 8 * word][group] = half(share.right[word], which, share.isBf16);
  }
}

void WarpProduct::give(uint32_t lane, Share &share) const {
  uint32_t group = lane / 4, pair = lane % 4;
  for (uint32_t place = 0; place < 4; ++place) {
    uint32_t row = group + 8 * (place / 2), column = 2 * pair + place % 2;
    for (uint32_t k = 0; k < kDepth; ++k)
      share.sums[place] += left[row][k] * right[k][column];
  }
}

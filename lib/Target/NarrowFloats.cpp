#include "NarrowFloats.h"

#include "runtime/cpu/Elements.h"

#include <cmath>
#include <cstring>

namespace froe {
namespace {

/// Infinity has no bits but those of the exponent, so one less is the largest finite number.
uint16_t withinRange(float value, uint16_t narrow, uint16_t infinity) {
  return (narrow & 0x7fff) == infinity && !std::isinf(value) ? narrow - 1 : narrow;
}

} // namespace

void narrowFloats(const char *from, int64_t count, froe_type to, uint16_t *narrow) {
  for (int64_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, from + i * int64_t(sizeof value), sizeof value);
    narrow[i] = to == FROE_F16 ? withinRange(value, cpu::toHalf(value).bits, 0x7c00)
                               : withinRange(value, cpu::toBFloat(value).bits, 0x7f80);
  }
}

} // namespace froe

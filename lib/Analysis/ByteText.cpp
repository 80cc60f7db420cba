#include "froe/Analysis/ByteText.h"

#include <fmt/format.h>
#include <span>

namespace froe {

namespace {

struct Unit {
  const char *name;
  double bytes;
};
constexpr Unit kBinary[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}};
constexpr Unit kDecimal[] = {{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}};

} // namespace

ByteUnits unitsOf(int64_t limit) { return limit > 0 && limit % 1000 == 0 ? ByteUnits::Decimal : ByteUnits::Binary; }

std::string bytesText(double bytes, ByteUnits units) {
  for (const Unit &unit : units == ByteUnits::Decimal ? std::span(kDecimal) : std::span(kBinary)) {
    if (bytes < unit.bytes)
      continue;
    std::string number = fmt::format("{:.1f}", bytes / unit.bytes);
    if (number.ends_with(".0"))
      number.resize(number.size() - 2);
    return fmt::format("{} {}", number, unit.name);
  }
  return fmt::format("{:.0f} bytes", bytes);
}

} // namespace froe

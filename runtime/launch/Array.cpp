#include "runtime/launch/Array.h"

#include "runtime/core/ElementType.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

int64_t Array::elements() const { return int64_t(data.size()) / rt::elementType(type).bytes; }

std::expected<int64_t, std::string> elementsOf(std::span<const int64_t> shape) {
  constexpr int64_t kWidestElement = 8;
  int64_t elements = 1, bytes;
  for (int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements) ||
        __builtin_mul_overflow(elements, kWidestElement, &bytes))
      return std::unexpected(fmt::format("shape [{}] has a negative dim or is too large", fmt::join(shape, "x")));
  return elements;
}

std::string describe(froe_type type, std::span<const int64_t> shape) {
  return fmt::format("{}[{}]", rt::elementType(type).name, fmt::join(shape, "x"));
}

} // namespace froe

// A tensor in memory, and its .npy file.
#pragma once

#include "froe_rt.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace froe {

/// Elements in row-major order, without padding; no dims: one element.
struct Array {
  froe_type type = FROE_F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  int64_t elements() const;
};

/// The number of elements of a shape, or nothing if it has a negative dim or is too large to address in bytes.
std::expected<int64_t, std::string> elementsOf(std::span<const int64_t> shape);

/// e.g. "f32[2x128]"
std::string describe(froe_type type, std::span<const int64_t> shape);

/// Reads a .npy file (format 1, 2 or 3; C or Fortran order; little or, where that is the same, no byte order).
/// `expected` is the type that the file must hold: it tells the raw bits of bf16 (`|V2` or uint16) from other types.
/// Errors name the file.
std::expected<Array, std::string> readNpy(const std::filesystem::path &file, froe_type expected);

/// Writes format 1, C order, data at a multiple of 64 bytes.
std::expected<void, std::string> writeNpy(const std::filesystem::path &file, froe_type type,
                                          std::span<const int64_t> shape, std::span<const std::byte> data);

} // namespace froe

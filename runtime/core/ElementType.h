// What is known about each element type: its size and its names elsewhere.
#pragma once

#include "froe_rt.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace froe::rt {

struct ElementType {
  froe_type type;
  int64_t bytes;
  std::string_view name;        // in our files and messages
  std::string_view numpy;       // NumPy's name
  std::string_view npyDescr;    // in the header of a .npy file; bf16, which NumPy lacks, is stored as raw bits
  std::string_view safetensors; // in the header of a safetensors file
};

inline constexpr std::array<ElementType, 13> kElementTypes{{
    {FROE_F32, 4, "f32", "float32", "<f4", "F32"},
    {FROE_F64, 8, "f64", "float64", "<f8", "F64"},
    {FROE_F16, 2, "f16", "float16", "<f2", "F16"},
    {FROE_BF16, 2, "bf16", "bfloat16", "|V2", "BF16"},
    {FROE_I8, 1, "i8", "int8", "|i1", "I8"},
    {FROE_I16, 2, "i16", "int16", "<i2", "I16"},
    {FROE_I32, 4, "i32", "int32", "<i4", "I32"},
    {FROE_I64, 8, "i64", "int64", "<i8", "I64"},
    {FROE_U8, 1, "u8", "uint8", "|u1", "U8"},
    {FROE_U16, 2, "u16", "uint16", "<u2", "U16"},
    {FROE_U32, 4, "u32", "uint32", "<u4", "U32"},
    {FROE_U64, 8, "u64", "uint64", "<u8", "U64"},
    {FROE_BOOL, 1, "bool", "bool", "|b1", "BOOL"},
}};

/// `type` must be one of froe_type.
constexpr const ElementType &elementType(int32_t type) { return kElementTypes[size_t(type)]; }

constexpr bool isElementType(int32_t type) { return type >= 0 && size_t(type) < kElementTypes.size(); }

/// By `name`, e.g. "bf16".
constexpr std::optional<froe_type> elementTypeNamed(std::string_view name) {
  for (const ElementType &candidate : kElementTypes)
    if (candidate.name == name)
      return candidate.type;
  return std::nullopt;
}

} // namespace froe::rt

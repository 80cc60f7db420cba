#include "runtime/launch/Inputs.h"

#include "runtime/core/ElementType.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace froe {

namespace {

/// splitmix64: a counter in, a random number out, so element i does not depend on how many came before.
uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

template <typename T> void storeAt(std::vector<std::byte> &data, int64_t index, T value) {
  std::memcpy(&data[size_t(index) * sizeof(T)], &value, sizeof(T));
}

uint16_t bfloat16Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void storeFloat(Array &array, int64_t index, double value) {
  switch (array.type) {
  case FROE_F32:
    return storeAt(array.data, index, float(value));
  case FROE_F16:
    return storeAt(array.data, index, _Float16(value));
  case FROE_BF16:
    return storeAt(array.data, index, bfloat16Bits(float(value)));
  default:
    return storeAt(array.data, index, value);
  }
}

void storeInteger(Array &array, int64_t index, int64_t value) {
  int64_t bytes = rt::elementType(array.type).bytes;
  std::memcpy(&array.data[size_t(index * bytes)], &value, size_t(bytes)); // little endian
}

bool isFloat(froe_type type) { return type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16; }

std::expected<Array, std::string> findInput(const Manifest::Tensor &tensor, const RunOptions &options) {
  auto found = options.inputs.find(tensor.name);
  if (found == options.inputs.end()) {
    if (!options.randomInputs)
      return std::unexpected(
          fmt::format("input '{}', {}, is not given", tensor.name, describe(tensor.type, tensor.shape)));
    return randomInput(tensor, options.seed, options.randomLimit);
  }
  std::expected<Array, std::string> array = std::unexpected("");
  if (auto *file = std::get_if<std::filesystem::path>(&found->second))
    array = readNpy(*file, tensor.type);
  else
    array = std::get<Array>(found->second);
  if (!array)
    return std::unexpected(fmt::format("input '{}': {}", tensor.name, array.error()));
  if (array->type != tensor.type || array->shape != tensor.shape)
    return std::unexpected(fmt::format("input '{}' is {}, expected {}", tensor.name,
                                       describe(array->type, array->shape), describe(tensor.type, tensor.shape)));
  return array;
}

} // namespace

Array randomInput(const Manifest::Tensor &tensor, uint64_t seed, int64_t limit) {
  Array array{tensor.type, tensor.shape, {}};
  int64_t elements = elementsOf(tensor.shape).value_or(0);
  array.data.resize(size_t(elements * rt::elementType(tensor.type).bytes));
  bool ones = tensor.type == FROE_BOOL || tensor.name.find("mask") != std::string::npos;
  uint64_t key = XXH3_64bits_withSeed(tensor.name.data(), tensor.name.size(), seed);
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t random = mix(key + uint64_t(i));
    if (isFloat(tensor.type))
      storeFloat(array, i, ones ? 1.0 : double(random >> 11) * 0x1p-52 - 1.0);
    else
      storeInteger(array, i, ones ? 1 : int64_t(random % uint64_t(std::max<int64_t>(limit, 1))));
  }
  return array;
}

std::expected<std::vector<Array>, std::string> collectInputs(const Manifest &manifest, const RunOptions &options) {
  std::vector<std::string> errors, names;
  std::vector<Array> inputs;
  for (const Manifest::Tensor &tensor : manifest.inputs) {
    names.push_back(fmt::format("'{}'", tensor.name));
    auto input = findInput(tensor, options);
    if (input)
      inputs.push_back(std::move(*input));
    else
      errors.push_back(input.error());
  }
  for (const auto &[name, source] : options.inputs)
    if (std::ranges::find(manifest.inputs, name, &Manifest::Tensor::name) == manifest.inputs.end())
      errors.push_back(fmt::format("the package has no input '{}'; it has {}", name, fmt::join(names, ", ")));
  if (!errors.empty())
    return std::unexpected(fmt::format("{}", fmt::join(errors, "\n")));
  return inputs;
}

} // namespace froe

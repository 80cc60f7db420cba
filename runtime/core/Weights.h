// A rank's weights: a safetensors file, mapped.
#pragma once

#include "froe_rt.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace froe::rt {

struct Weight {
  const void *data = nullptr; // aligned to 64 bytes
  uint64_t bytes = 0;
  std::string packing = "plain"; // the metadata entry "packing.<name>": how a library laid it out
};

/// The weights of a program, in its order. The file stays mapped for the life of this object, shared with all processes
/// that map it.
class WeightFile {
public:
  WeightFile() = default;

  /// Checks the whole header (bounds, overlaps, holes, sizes), and that each weight of the program is there: with its
  /// type and shape if it is plain, and in any case with its size. Errors name the file and the weight.
  static std::expected<WeightFile, std::string> open(const std::string &file, const froe_program &program);

  const Weight &operator[](int32_t index) const { return weights[size_t(index)]; }
  size_t size() const { return weights.size(); }

private:
  std::shared_ptr<const std::byte> mapping;       // unmaps
  std::vector<std::shared_ptr<std::byte>> copies; // of those that the file does not align
  std::vector<Weight> weights;
};

} // namespace froe::rt

#include "ExternalData.h"
#include "Failure.h"

#include "llvm/ADT/StringRef.h"

#include <filesystem>
#include <fmt/format.h>

namespace froe::importing {

namespace fs = std::filesystem;

static int64_t readNumber(const onnx::StringStringEntryProto &entry) {
  int64_t value;
  if (llvm::StringRef(entry.value()).getAsInteger(10, value) || value < 0)
    throw Invalid(fmt::format("external data has the {} '{}', expected a number of bytes", entry.key(), entry.value()));
  return value;
}

ExternalData readExternalData(const onnx::TensorProto &tensor, int64_t bytes) {
  ExternalData data{"", 0, bytes};
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      data.location = entry.value();
    else if (entry.key() == "offset")
      data.offset = readNumber(entry);
    else if (entry.key() == "length")
      data.length = readNumber(entry);
  }
  if (data.location.empty())
    throw Invalid(fmt::format("tensor '{}' has external data without a location", tensor.name()));
  if (data.length != bytes)
    throw Invalid(fmt::format("tensor '{}' has {} bytes of external data, expected {} for its shape", tensor.name(),
                              data.length, bytes));
  return data;
}

/// Whether `path` is inside `folder`, all links followed.
static bool isInside(const fs::path &folder, const fs::path &path) {
  fs::path inner = fs::weakly_canonical(path), outer = fs::weakly_canonical(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

std::optional<std::string> checkExternalFile(const std::string &folder, const ExternalData &data, bool needed) {
  fs::path location(data.location), path = fs::path(folder) / location;
  bool climbs = std::ranges::find(location, fs::path("..")) != location.end();
  std::error_code error;
  if (location.is_absolute() || climbs || !isInside(folder, path))
    return fmt::format("external data '{}' lies outside the model's folder", data.location);
  if (!fs::exists(path, error))
    return needed ? std::optional(fmt::format("external data '{}' is missing in '{}'", data.location, folder))
                  : std::nullopt;
  if (!fs::is_regular_file(path, error))
    return fmt::format("external data '{}' is no file", data.location);
  uint64_t size = fs::file_size(path, error), end = uint64_t(data.offset) + uint64_t(data.length);
  if (error)
    return fmt::format("external data '{}' cannot be read: {}", data.location, error.message());
  if (end > size)
    return fmt::format("external data '{}' is too short: it has {} bytes, and bytes {} to {} are needed", data.location,
                       size, data.offset, end);
  return std::nullopt;
}

} // namespace froe::importing

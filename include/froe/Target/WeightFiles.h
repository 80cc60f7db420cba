#pragma once

#include "froe/Conversion/Package.h"

#include <filesystem>

namespace froe {

/// The file of one rank in a package.
std::string weightFileName(int64_t rank);

/// Writes `rank<R>.safetensors` of every rank to `folder`. Weights are cut, padded with zeros and packed one by one,
/// straight from the mapped files of `modelFolder`; ranks that hold the same blocks share one file (a hard link).
/// Errors name the file: a source that is missing or too short, a disk that is full.
std::expected<void, std::string> writeWeightFiles(const Package &package, const std::filesystem::path &modelFolder,
                                                  const std::filesystem::path &folder);

} // namespace froe

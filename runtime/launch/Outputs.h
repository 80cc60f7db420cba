// Where the outputs of a run go.
#pragma once

#include "runtime/launch/Launch.h"

#include <filesystem>
#include <span>

namespace froe {

/// A file name for a tensor's name: letters, digits, `.`, `_`, `-` and non-ASCII stay, everything else becomes %XX, so
/// that no two names share a file.
std::string fileNameFor(const std::string &tensor);

/// Writes each output to `directory`, which is created, and notes its file.
std::expected<void, std::string> writeOutputs(const std::filesystem::path &directory, std::span<OutputResult> outputs);

} // namespace froe

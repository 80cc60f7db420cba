#include "runtime/launch/Outputs.h"

#include <fmt/format.h>

namespace froe {

std::string fileNameFor(const std::string &tensor) {
  std::string name;
  for (unsigned char c : tensor) {
    bool plain = c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
                 c == '_' || c == '-';
    if (plain)
      name += char(c);
    else
      name += fmt::format("%{:02X}", c);
  }
  return name + ".npy";
}

std::expected<void, std::string> writeOutputs(const std::filesystem::path &directory, std::span<OutputResult> outputs) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code)
    return std::unexpected(fmt::format("{}: cannot be created: {}", directory.string(), code.message()));
  for (OutputResult &output : outputs) {
    output.file = fileNameFor(output.name);
    if (auto written = writeNpy(directory / output.file, output.array.type, output.array.shape, output.array.data);
        !written)
      return written;
  }
  return {};
}

} // namespace froe

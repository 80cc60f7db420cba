#pragma once

#include <expected>
#include <filesystem>
#include <span>
#include <string>

namespace froe {

/// A new file, written from front to back. Errors say why: no space left on the device, for one.
class OutputFile {
public:
  static std::expected<OutputFile, std::string> create(const std::filesystem::path &path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  std::expected<void, std::string> write(std::span<const char> bytes);
  std::expected<void, std::string> writeZeros(size_t count);
  /// Closes the file; only now it is known that all was written.
  std::expected<void, std::string> close();

private:
  std::filesystem::path path;
  int descriptor = -1;

  OutputFile(std::filesystem::path path, int descriptor) : path(std::move(path)), descriptor(descriptor) {}
  std::unexpected<std::string> failure() const;
};

} // namespace froe

#include "OutputFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace froe {

std::unexpected<std::string> OutputFile::failure() const {
  return std::unexpected("cannot write '" + path.string() + "': " + std::strerror(errno));
}

std::expected<OutputFile, std::string> OutputFile::create(const std::filesystem::path &path) {
  OutputFile file(path, ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.descriptor < 0)
    return file.failure();
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::expected<void, std::string> OutputFile::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return failure();
    bytes = bytes.subspan(written < 0 ? 0 : written);
  }
  return {};
}

std::expected<void, std::string> OutputFile::writeZeros(size_t count) {
  static const char zeros[4096] = {};
  for (size_t piece; count > 0; count -= piece) {
    piece = std::min(count, sizeof(zeros));
    if (auto done = write({zeros, piece}); !done)
      return done;
  }
  return {};
}

std::expected<void, std::string> OutputFile::close() {
  if (::close(std::exchange(descriptor, -1)) != 0)
    return failure();
  return {};
}

} // namespace froe

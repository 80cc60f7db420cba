#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace froe::importing {

/// Bytes that are no protobuf message.
struct WireError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One field of a serialised protobuf message. The views point into the message.
struct WireField {
  uint32_t number;
  /// Whether the field is length-delimited: bytes, text, a message or packed numbers; these are `content`.
  bool isBytes;
  std::string_view content;
  /// Tag, length and content.
  std::string_view whole;
};

/// Walks over the fields of one serialised message without parsing them.
/// The format: https://protobuf.dev/programming-guides/encoding
class WireReader {
public:
  explicit WireReader(std::string_view message) : rest(message) {}

  /// The next field; none at the end. Throws WireError.
  std::optional<WireField> next();

private:
  uint64_t readVarint();
  std::string_view take(uint64_t bytes);

  std::string_view rest;
};

/// Appends the length-delimited field `number` to a serialised message.
void appendBytes(std::string &message, uint32_t number, std::string_view content);

} // namespace froe::importing

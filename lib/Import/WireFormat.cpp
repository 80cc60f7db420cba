#include "WireFormat.h"

#include <fmt/format.h>

namespace froe::importing {

enum WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

uint64_t WireReader::readVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = take(1)[0];
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  throw WireError("a number of more than ten bytes");
}

std::string_view WireReader::take(uint64_t bytes) {
  if (bytes > rest.size())
    throw WireError(fmt::format("a field needs {} bytes where {} are left", bytes, rest.size()));
  std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  return taken;
}

std::optional<WireField> WireReader::next() {
  if (rest.empty())
    return std::nullopt;
  const char *begin = rest.data();
  uint64_t tag = readVarint();
  WireField field{static_cast<uint32_t>(tag >> 3), false, {}, {}};
  if (tag >> 32 || field.number == 0)
    throw WireError("an impossible field number");
  switch (tag & 7) {
  case Varint:
    readVarint();
    break;
  case Fixed64:
    take(8);
    break;
  case Fixed32:
    take(4);
    break;
  case Bytes:
    field.isBytes = true;
    field.content = take(readVarint());
    break;
  default:
    throw WireError(fmt::format("an unknown wire type {}", tag & 7));
  }
  field.whole = std::string_view(begin, rest.data() - begin);
  return field;
}

static void appendVarint(std::string &message, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}

void appendBytes(std::string &message, uint32_t number, std::string_view content) {
  appendVarint(message, uint64_t(number) << 3 | Bytes);
  appendVarint(message, content.size());
  message += content;
}

} // namespace froe::importing

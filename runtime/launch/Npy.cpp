// The .npy format: magic, version, length of the header, a Python dict literal, then the elements.
#include "runtime/core/ElementType.h"
#include "runtime/launch/Array.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>

namespace froe {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

std::string_view skipBlanks(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? std::string_view() : text.substr(begin);
}

/// What follows `'key':` in the dict.
std::optional<std::string_view> valueOf(std::string_view dict, std::string_view key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    size_t found = dict.find(quoted);
    if (found == dict.npos)
      continue;
    std::string_view rest = skipBlanks(dict.substr(found + quoted.size()));
    if (rest.starts_with(':'))
      return skipBlanks(rest.substr(1));
  }
  return std::nullopt;
}

std::optional<std::string> parseString(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return std::nullopt;
  size_t end = text.find(text[0], 1);
  if (end == text.npos)
    return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

std::optional<std::vector<int64_t>> parseTuple(std::string_view text) {
  size_t end = text.find(')');
  if (!text.starts_with('(') || end == text.npos)
    return std::nullopt;
  std::vector<int64_t> values;
  for (text = skipBlanks(text.substr(1, end - 1)); !text.empty();) {
    std::string digits(text.substr(0, text.find_first_not_of("0123456789")));
    if (digits.empty() || digits.size() > 18)
      return std::nullopt;
    values.push_back(std::stoll(digits));
    text = skipBlanks(text.substr(digits.size()));
    if (text.starts_with('L')) // Python 2
      text = skipBlanks(text.substr(1));
    if (text.empty())
      break;
    if (text[0] != ',')
      return std::nullopt;
    text = skipBlanks(text.substr(1));
  }
  return values;
}

std::optional<Header> parseHeader(std::string_view dict) {
  auto descr = valueOf(dict, "descr"), order = valueOf(dict, "fortran_order"), shape = valueOf(dict, "shape");
  if (!descr || !order || !shape || (!order->starts_with("True") && !order->starts_with("False")))
    return std::nullopt;
  auto text = parseString(*descr);
  auto dims = parseTuple(*shape);
  if (!text || !dims)
    return std::nullopt;
  return Header{*text, order->starts_with("True"), *dims};
}

/// Whether elements of `descr` are those of `type`, bit for bit.
bool matches(std::string descr, const rt::ElementType &type) {
  if (descr.empty())
    return false;
  bool orderMatters = type.bytes > 1 && descr[0] != '<' && descr[0] != '=' && descr[0] != '|';
  descr.erase(0, 1);
  if (orderMatters)
    return false;
  return descr == type.npyDescr.substr(1) || (type.type == FROE_BF16 && descr == "u2");
}

/// The elements of a file in Fortran order, in row-major order.
std::vector<std::byte> toRowMajor(const std::vector<std::byte> &data, const std::vector<int64_t> &shape,
                                  int64_t bytes) {
  std::vector<std::byte> result(data.size());
  std::vector<int64_t> index(shape.size()), stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d)
    stride[d] = stride[d - 1] * shape[d - 1];
  for (int64_t to = 0; to < int64_t(data.size()); to += bytes) {
    int64_t from = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      from += index[d] * stride[d];
    std::memcpy(&result[size_t(to)], &data[size_t(from * bytes)], size_t(bytes));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return result;
}

uint64_t littleEndian(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  while (count-- > 0)
    value = value << 8 | bytes[count];
  return value;
}

/// The header's text, or why there is none.
std::expected<std::string, std::string> readHeaderText(std::istream &stream) {
  unsigned char start[12] = {};
  stream.read(reinterpret_cast<char *>(start), 8);
  if (!stream || std::memcmp(start, kMagic.data(), kMagic.size()) != 0)
    return std::unexpected("not a .npy file");
  if (start[6] < 1 || start[6] > 3)
    return std::unexpected(fmt::format("version {} of the .npy format is not supported", start[6]));
  int lengthBytes = start[6] == 1 ? 2 : 4;
  stream.read(reinterpret_cast<char *>(start) + 8, lengthBytes);
  uint64_t length = littleEndian(start + 8, lengthBytes);
  if (!stream || length > (1 << 20))
    return std::unexpected("the .npy header is malformed");
  std::string text(length, ' ');
  stream.read(text.data(), std::streamsize(length));
  if (!stream)
    return std::unexpected("the .npy header is truncated");
  return text;
}

} // namespace

std::expected<Array, std::string> readNpy(const std::filesystem::path &file, froe_type expected) {
  auto error = [&](std::string_view message) { return std::unexpected(fmt::format("{}: {}", file.string(), message)); };
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file))
    return error(fmt::format("cannot be read: {}", strerror(stream ? EISDIR : errno)));
  auto text = readHeaderText(stream);
  if (!text)
    return error(text.error());
  auto header = parseHeader(*text);
  if (!header)
    return error("the .npy header is malformed");
  const rt::ElementType &type = rt::elementType(expected);
  if (!matches(header->descr, type))
    return error(fmt::format("holds elements of '{}', expected {} ('{}')", header->descr, type.name, type.npyDescr));
  auto elements = elementsOf(header->shape);
  if (!elements)
    return error(elements.error());
  uint64_t bytes = uint64_t(*elements * type.bytes), begin = uint64_t(stream.tellg());
  uint64_t there = std::filesystem::file_size(file) - begin;
  if (there != bytes)
    return error(fmt::format("holds {} bytes of elements, its shape [{}] needs {}", there,
                             fmt::join(header->shape, "x"), bytes));
  Array array{expected, header->shape, std::vector<std::byte>(bytes)};
  stream.read(reinterpret_cast<char *>(array.data.data()), std::streamsize(bytes));
  if (!stream)
    return error("cannot be read to its end");
  if (header->fortranOrder)
    array.data = toRowMajor(array.data, array.shape, type.bytes);
  return array;
}

std::expected<void, std::string> writeNpy(const std::filesystem::path &file, froe_type type,
                                          std::span<const int64_t> shape, std::span<const std::byte> data) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", rt::elementType(type).npyDescr,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr size_t kPrefix = 10, kAlignment = 64;
  size_t total = (kPrefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(total - kPrefix - 1, ' ');
  header += '\n';
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << kMagic << '\x01' << '\0' << char(header.size() & 0xff) << char(header.size() >> 8) << header;
  stream.write(reinterpret_cast<const char *>(data.data()), std::streamsize(data.size()));
  stream.close();
  if (!stream)
    return std::unexpected(fmt::format("{}: cannot be written: {}", file.string(), strerror(errno)));
  return {};
}

} // namespace froe

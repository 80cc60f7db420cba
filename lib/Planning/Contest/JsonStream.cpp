#include "JsonStream.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <zlib.h>

namespace froe {

struct JsonStream::File {
  gzFile handle = nullptr;
};

JsonStream::JsonStream(const std::string &path, int64_t maxBytes, int64_t maxNumbers)
    : file(std::make_unique<File>()), window(1 << 18), bytesLeft(maxBytes), numbersLeft(maxNumbers) {
  errno = 0;
  file->handle = gzopen(path.c_str(), "rb"); // reads plain text as it is
  if (!file->handle)
    throw MalformedText(fmt::format("cannot be read: {}", std::strerror(errno)));
}

JsonStream::~JsonStream() {
  if (file->handle)
    gzclose(file->handle);
}

void JsonStream::fail(const std::string &what) const {
  throw MalformedText(fmt::format("byte {}: {}", before + static_cast<int64_t>(next), what));
}

bool JsonStream::refill() {
  before += static_cast<int64_t>(filled);
  next = filled = 0;
  int count = gzread(file->handle, window.data(), static_cast<unsigned>(window.size()));
  int code = Z_OK;
  const char *why = gzerror(file->handle, &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
    fail(fmt::format("cannot be decompressed: {}", code == Z_ERRNO ? std::strerror(errno) : why));
  if ((bytesLeft -= count) < 0)
    fail("the text is longer than a problem may be");
  filled = static_cast<size_t>(count);
  return count > 0;
}

int JsonStream::peek() { return next < filled || refill() ? static_cast<unsigned char>(window[next]) : -1; }

int JsonStream::token() {
  int c = peek();
  for (; c == ' ' || c == '\n' || c == '\r' || c == '\t'; c = peek())
    ++next;
  return c;
}

void JsonStream::expect(char wanted) {
  if (int c = token(); c != wanted)
    fail(c < 0 ? fmt::format("expected '{}', found the end", wanted) : fmt::format("expected '{}'", wanted));
  ++next;
}

template <typename Element> void JsonStream::list(char open, char close, const Element &element) {
  expect(open);
  if (token() == close) {
    ++next;
    return;
  }
  for (;;) {
    element();
    if (token() == close)
      break;
    expect(',');
  }
  ++next;
}

void JsonStream::object(const std::function<void(const std::string &)> &read) {
  list('{', '}', [&] {
    std::string key = string();
    expect(':');
    read(key);
  });
}

void JsonStream::array(const std::function<void()> &read) {
  constexpr int kListWeight = 4; // an empty list takes memory too
  list('[', ']', [&] {
    if ((numbersLeft -= kListWeight) < 0)
      fail("more lists than a problem may have");
    read();
  });
}

/// Keys and names: escapes are kept as they are written, since no key that matters has any.
std::string JsonStream::string() {
  constexpr size_t kLongest = 1 << 16;
  expect('"');
  std::string text;
  for (int c = peek(); c != '"'; c = peek()) {
    if (c < 0x20 || text.size() > kLongest)
      fail("expected the end of a string");
    text += static_cast<char>(c);
    ++next;
    if (c == '\\' && peek() >= 0x20) {
      text += static_cast<char>(peek());
      ++next;
    }
  }
  ++next;
  return text;
}

double JsonStream::number() {
  constexpr int kExactDigits = 15;
  if (--numbersLeft < 0)
    fail("more numbers than a problem may have");
  int c = token();
  char text[64];
  int length = 0;
  int64_t value = 0;
  bool digitsOnly = true;
  for (; c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' || (c >= '0' && c <= '9'); c = peek()) {
    if (length == sizeof(text))
      fail("expected a number");
    digitsOnly &= c >= '0' && c <= '9';
    if (digitsOnly && length < kExactDigits)
      value = value * 10 + (c - '0');
    text[length++] = static_cast<char>(c);
    ++next;
  }
  if (digitsOnly && length > 0 && length <= kExactDigits)
    return static_cast<double>(value);
  double parsed = 0;
  auto [stop, code] = std::from_chars(text, text + length, parsed);
  if (length == 0 || code != std::errc() || stop != text + length || text[0] == '+')
    fail(code == std::errc::result_out_of_range ? "the number is out of range" : "expected a number");
  return parsed;
}

std::vector<double> JsonStream::numbers() {
  std::vector<double> values;
  list('[', ']', [&] { values.push_back(number()); });
  values.shrink_to_fit();
  return values;
}

void JsonStream::skip(int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest)
    fail("nested too deeply");
  int c = token();
  if (c == '{')
    return object([&](const std::string &) { skip(depth + 1); });
  if (c == '[')
    return array([&] { skip(depth + 1); });
  if (c == '"') {
    string();
    return;
  }
  std::string word;
  for (c = peek(); c >= 'a' && c <= 'z' && word.size() < 6; c = peek()) {
    word += static_cast<char>(c);
    ++next;
  }
  if (word.empty())
    number();
  else if (word != "true" && word != "false" && word != "null")
    fail("expected a value");
}

void JsonStream::end() {
  if (token() >= 0)
    fail("expected the end");
}

} // namespace froe

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace froe {

/// What is wrong with the text, for the reader's entry point to turn into its error.
struct MalformedText : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads JSON value by value, in the order of the text, from a file that may be compressed by gzip. Only a window of
/// the text is in memory. Every function throws MalformedText with the position where the text is not as asked.
class JsonStream {
public:
  JsonStream(const std::string &path, int64_t maxBytes, int64_t maxNumbers);
  ~JsonStream();

  /// Calls `read` for each key of an object; it must read the value.
  void object(const std::function<void(const std::string &)> &read);
  /// Calls `read` for each element of an array; it must read the element.
  void array(const std::function<void()> &read);
  double number();
  /// An array of numbers.
  std::vector<double> numbers();
  /// Passes over any value.
  void skip(int depth = 0);
  void end();
  [[noreturn]] void fail(const std::string &what) const;

private:
  int peek();  ///< the next character, -1 at the end
  int token(); ///< the next character that is no blank
  bool refill();
  void expect(char wanted);
  std::string string();
  template <typename Element> void list(char open, char close, const Element &element);

  struct File;
  std::unique_ptr<File> file;
  std::vector<char> window;
  size_t next = 0, filled = 0;
  int64_t before = 0; ///< bytes of the text that the window has left behind
  int64_t bytesLeft, numbersLeft;
};

} // namespace froe

#pragma once

#include <initializer_list>

namespace froe::cpu {

/// A library that may be missing on the machine. Stays loaded until the process ends.
class SharedLibrary {
public:
  /// The first of `names` that the loader finds.
  explicit SharedLibrary(std::initializer_list<const char *> names);
  explicit operator bool() const { return handle; }

  /// Sets `function` to the symbol, of this library or of one that it needs; false if there is none.
  template <class Function> bool find(const char *symbol, Function *&function) const {
    function = reinterpret_cast<Function *>(address(symbol));
    return function;
  }

private:
  void *address(const char *symbol) const;
  void *handle = nullptr;
};

} // namespace froe::cpu

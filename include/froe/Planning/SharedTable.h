#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace froe {

/// Numbers that many nodes or edges of a problem may share: copies refer to the same memory until one is edited.
///
/// Parts of a program that repeat share their tables, so a solver can see by `identity()` that what it found out about
/// one part holds for the others. Equal numbers need not be one table; one table has equal numbers.
template <typename T> class SharedTable {
public:
  SharedTable() = default;
  SharedTable(std::vector<T> values) : values(std::make_shared<std::vector<T>>(std::move(values))) {}
  SharedTable(std::initializer_list<T> values) : SharedTable(std::vector<T>(values)) {}

  const std::vector<T> &get() const { return values ? *values : kEmpty; }
  operator const std::vector<T> &() const { return get(); }
  size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }
  const T &operator[](size_t index) const { return get()[index]; }
  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }

  /// The numbers, no longer shared.
  std::vector<T> &edit() {
    if (!values || values.use_count() > 1)
      values = std::make_shared<std::vector<T>>(get());
    return *values;
  }
  const void *identity() const { return values.get(); }
  bool operator==(const SharedTable &other) const { return values == other.values || get() == other.get(); }

private:
  static inline const std::vector<T> kEmpty = {};
  std::shared_ptr<std::vector<T>> values;
};

} // namespace froe

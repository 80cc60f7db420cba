#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace froe {

/// Numbers 64-bit keys in the order in which they are first seen. Searches ask millions of times, so it is one flat
/// table.
class KeyIndex {
public:
  int size() const { return static_cast<int>(keys.size()); }
  /// -1 where the key was not added.
  int find(uint64_t key) const { return slots.empty() ? -1 : slots[slotOf(key)]; }
  /// Adds the key where it is new.
  int add(uint64_t key) {
    if (2 * (keys.size() + 1) > slots.size())
      grow();
    int &index = slots[slotOf(key)];
    if (index < 0) {
      index = size();
      keys.push_back(key);
    }
    return index;
  }
  uint64_t operator[](int index) const { return keys[index]; }

private:
  /// Where the key is, or would be.
  std::size_t slotOf(uint64_t key) const {
    std::size_t mask = slots.size() - 1;
    std::size_t slot = (key * 0x9E3779B97F4A7C15u) >> 32 & mask;
    while (slots[slot] >= 0 && keys[slots[slot]] != key)
      slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots.assign(slots.empty() ? 64 : 2 * slots.size(), -1);
    for (int i = 0; i < size(); ++i)
      slots[slotOf(keys[i])] = i;
  }

  std::vector<int> slots; ///< a power of two of them, half full at most
  std::vector<uint64_t> keys;
};

} // namespace froe

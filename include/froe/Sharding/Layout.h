#pragma once

#include "froe/Sharding/Sharding.h"

#include <array>

namespace froe {

/// A sharding in a form that a search can copy, compare and hash at no cost: for each mesh axis what it does.
///
///   0: replicated    1: partial    2 + 8 d + p: cuts dim d, as its p-th axis counted from the major one
struct Layout {
  static constexpr int kMaxAxes = 8, kMaxRank = 31;
  static constexpr uint8_t kReplicated = 0, kPartial = 1;
  std::array<uint8_t, kMaxAxes> use{};

  bool operator==(const Layout &) const = default;
  uint64_t key() const { return __builtin_bit_cast(uint64_t, use); }

  static Layout fromKey(uint64_t key) { return {__builtin_bit_cast(decltype(use), key)}; }

  static bool cuts(uint8_t use) { return use > kPartial; }
  static int dimOf(uint8_t use) { return (use - 2) / 8; }
  static int positionOf(uint8_t use) { return (use - 2) % 8; }
  static uint8_t cut(int dim, int position) { return static_cast<uint8_t>(2 + 8 * dim + position); }

  static Layout of(const Sharding &sharding) {
    Layout layout;
    for (size_t d = 0; d < sharding.dims.size(); ++d)
      for (size_t p = 0; p < sharding.dims[d].size(); ++p)
        layout.use[sharding.dims[d][p]] = cut(static_cast<int>(d), static_cast<int>(p));
    for (AxisIndex axis : sharding.partial)
      layout.use[axis] = kPartial;
    return layout;
  }

  /// Writes into `sharding`, whose rank is kept, so that its lists are reused.
  void store(Sharding &sharding, ReduceKind kind) const {
    for (AxisList &list : sharding.dims)
      list.clear();
    sharding.partial.clear();
    for (AxisIndex axis = 0; axis < kMaxAxes; ++axis) {
      if (use[axis] == kPartial)
        sharding.partial.push_back(axis);
      if (!cuts(use[axis]))
        continue;
      AxisList &list = sharding.dims[dimOf(use[axis])];
      if (list.size() <= static_cast<size_t>(positionOf(use[axis])))
        list.resize(positionOf(use[axis]) + 1);
      list[positionOf(use[axis])] = axis;
    }
    sharding.partialKind = sharding.partial.empty() ? ReduceKind::Sum : kind;
  }
};

} // namespace froe

#pragma once

#include "froe/Sharding/Sharding.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace froe {

/// The moments of a program that say all about its memory: at no step are fewer than all uses of some slot live, and no
/// slot has all uses of another one. They stand in order of time.
class Slots {
public:
  struct Use {
    Interval live;
    int64_t largest; ///< bytes at most
  };
  /// Less those at which the largest uses together are within `limit`.
  Slots(std::span<const Use> uses, int64_t limit);

  int count() const { return static_cast<int>(starts.size()); }
  /// The first slot that begins at or after `step`.
  int at(int64_t step) const { return static_cast<int>(std::ranges::lower_bound(starts, step) - starts.begin()); }

private:
  std::vector<int64_t> starts; ///< steps
};

} // namespace froe

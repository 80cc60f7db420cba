#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace froe {

/// Minima of ranges of fixed values: minima of all ranges of 2^level values, two of which cover any range.
class RangeMinimum {
public:
  explicit RangeMinimum(std::vector<int64_t> values) : least{std::move(values)} {
    for (size_t half = 1, count = least[0].size(); 2 * half <= count; half *= 2) {
      const std::vector<int64_t> &last = least.back();
      std::vector<int64_t> next(count - 2 * half + 1);
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = std::min(last[i], last[i + half]);
      least.push_back(std::move(next));
    }
  }

  /// Of the values from `begin` up to `end`, at least one.
  int64_t operator()(int begin, int end) const {
    int level = std::bit_width(unsigned(end - begin)) - 1;
    return std::min(least[level][begin], least[level][end - (1 << level)]);
  }

private:
  std::vector<std::vector<int64_t>> least;
};

} // namespace froe

#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace froe {

/// Prices of a byte in each slot, rounded to whole multiples of a unit: uses that span like slots then pay the same to
/// the last bit, wherever they begin, so that parts that repeat stay equal.
class SlotPrices {
public:
  SlotPrices() = default;
  explicit SlotPrices(const std::vector<double> &prices) : sums(prices.size() + 1, 0) {
    double total = 0;
    for (double price : prices)
      total += price;
    unit = std::ldexp(total, -40);
    for (size_t t = 0; t < prices.size(); ++t)
      sums[t + 1] = sums[t] + (unit > 0 ? std::llround(prices[t] / unit) : 0);
  }

  /// What a byte costs that is live in the slots [begin, end).
  double of(int begin, int end) const { return sums.empty() ? 0 : unit * static_cast<double>(sums[end] - sums[begin]); }
  /// What a byte costs that is always live.
  double total() const { return sums.empty() ? 0 : unit * static_cast<double>(sums.back()); }

private:
  double unit = 0;
  std::vector<int64_t> sums;
};

} // namespace froe

#pragma once

#include <vector>

namespace froe {

/// Bounds a model's cost under prices for bytes, the limit apart.
class Relaxation {
public:
  virtual ~Relaxation() = default;
  /// At most the smallest cost of a choice, what its bytes cost included; infinity if there is no choice.
  virtual double run(const std::vector<double> &slotPrices) = 0;
  /// The choice that the last run leads to.
  virtual std::vector<int> decode() = 0;
};

} // namespace froe

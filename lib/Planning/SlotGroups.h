#pragma once

#include "Model.h"

namespace froe {

/// Slots that are priced alike: those of equal layers. A group's price is spread evenly over its slots, and what the
/// bytes live in them are on average must not exceed the limit.
struct SlotGroups {
  std::vector<int> groupOf; ///< of each slot
  std::vector<int> sizes;

  int count() const { return static_cast<int>(sizes.size()); }
  std::vector<double> slotPrices(const std::vector<double> &prices) const;
  std::vector<double> average(const std::vector<int64_t> &usage) const;

  /// Parts the groups whose average fits the limit though some of their slots do not. False if there are none.
  bool divide(const std::vector<int64_t> &usage, int64_t limit);

  /// Each slot by itself.
  static SlotGroups single(const Model &model);
  /// Slots in which the same tables of bytes are live, equally often.
  static SlotGroups alike(const Model &model);
};

} // namespace froe

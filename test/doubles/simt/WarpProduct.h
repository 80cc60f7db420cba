// mma.sync.m16n8k16 (PTX ISA): which elements of the factors and of the sums each lane of a warp has.
#pragma once

#include <cstdint>

/// Collects the factors of all lanes, then gives each one its sums.
class WarpProduct {
public:
  /// What one lane has: two halves in each word.
  struct Share {
    int32_t left[4], right[2];
    float sums[4]; ///< before: addends
    bool isBf16;
  };

  void take(uint32_t lane, const Share &share);
  void give(uint32_t lane, Share &share) const;

private:
  static constexpr uint32_t kRows = 16, kColumns = 8, kDepth = 16;
  float left[kRows][kDepth], right[kDepth][kColumns];
};

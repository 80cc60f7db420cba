#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace froe::cpu {

/// Where element (k, n) of a stored matrix lies; PackedWeights.h says what the layouts look like.
struct PanelLayout {
  int64_t k, n;
  int64_t panel = 0; /* columns; 0: plain */
  bool pairs = false;

  int64_t panels() const { return (n + panel - 1) / panel; }
  int64_t paddedK() const { return pairs ? (k + 31) / 32 * 32 : (k + 15) / 16 * 16; }
  int64_t panelElements() const { return paddedK() * panel; }
  uint64_t bytes(int64_t matrices, int64_t elementBytes) const;

  int64_t place(int64_t row, int64_t column) const {
    if (!panel)
      return row * n + column;
    int64_t start = column / panel * panelElements(), inside = column % panel;
    return pairs ? start + (row / 2 * panel + inside) * 2 + row % 2 : start + row * panel + inside;
  }
};

std::optional<PanelLayout> panelLayout(std::string_view tag, int64_t k, int64_t n);

} // namespace froe::cpu

#pragma once

#include "Dual.h"

#include <memory>

namespace froe {

/// Branch and bound over what the dual of a core leaves open: the gap that comes of memory in whole pieces, which
/// prices cannot close. Labels of a node are divided into two sets, those of little and of much memory at the present
/// prices, and each set is bounded by itself, starting at the prices and messages of both together; labels are dropped
/// on the way. Sets with the lowest bound come first, so that the bound of all rises with the work.
///
/// Near the root, where a good division saves most, several are tried out by a few steps each (strong branching;
/// Achterberg, Koch, Martin, Operations Research Letters 2005).
class Branching {
public:
  /// Goes on from where `dual` stands, which is only used by this search from now on.
  Branching(const Core &core, Dual &dual);

  /// Cells that dividing one set takes at most.
  static int64_t mostWorkPerSet(const Dual &dual);

  /// Until about `work` matrix cells have been looked at; `known` as for Dual::run. Returns the cells.
  int64_t run(int64_t work, double known);

  /// Of all choices below the best known cost, without the core's offset; infinity if there are none.
  double bound() const;
  /// The cheapest choice found by the last run that fits, if any.
  const std::vector<int> &fitting() const { return fit; }

private:
  struct Open {
    double bound;
    int depth;
    std::vector<bool> dropped;
    std::shared_ptr<const Dual::Point> point;
  };
  /// Labels of a node, apart by whether they are `low`.
  struct Division {
    int node;
    std::vector<bool> low;
    double worth;
  };
  using Halves = std::pair<Open, Open>;

  static bool isWorse(const Open &a, const Open &b) { return a.bound > b.bound; }
  bool isOpen(double value) const;
  Open take();
  void put(Open open);
  void expand(Open open);
  void settle(Open &open, int steps);
  void offerFit();
  Halves divide(const Open &open, const Division &division) const;
  Halves tryOut(const Open &open, const std::vector<Division> &divisions);
  std::vector<Division> divisionsOf(const Open &open, double gap) const;

  const Core &core;
  Dual &dual;
  std::vector<Open> heap;  ///< by bound, the lowest one first
  std::vector<Open> stack; ///< taken first; used where the heap holds as much as it may
  int64_t heapBytes = 0;
  double known = std::numeric_limits<double>::infinity();
  std::vector<int> fit;
  int64_t work = 0;
};

} // namespace froe

#pragma once

#include "Reduction.h"

namespace froe {

/// What is left of a problem after reduction, laid out for fast passes: nodes keep the problem's order, edges are
/// stored from both ends, everything lies in a few arrays.
struct Core {
  struct Segment {
    int begin, end; ///< slots
    int64_t bytes;  ///< where those of label 0 are
  };
  struct Arc {
    int other;      ///< node
    int reverse;    ///< arc back
    int64_t matrix; ///< labels of this node x labels of the other one, row-major
  };
  struct Node {
    int labels, original;
    int64_t cost; ///< where that of label 0 is
    int firstArc, endArc, firstSegment, endSegment;
    int forward; ///< the first arc to a later node; those before lead to earlier ones
  };

  explicit Core(const Reduction &reduction);

  std::vector<Node> nodes;
  std::vector<Arc> arcs;
  std::vector<Segment> segments;
  std::vector<double> costs, matrices; ///< exclusion is the finite number `excluded`, more than any finite choice costs
  std::vector<int64_t> bytes, room;
  double offset = 0, excluded = 0;
  int64_t allLabels = 0, cells = 0; ///< of all nodes; of all edges' matrices, both orientations
  bool integral = true;             ///< all costs are integers, so a bound may be rounded up

  int size() const { return static_cast<int>(nodes.size()); }
  int slots() const { return static_cast<int>(room.size()); }
  double costOf(const std::vector<int> &labels) const; ///< without the offset
  std::vector<int64_t> usageOf(const std::vector<int> &labels) const;
  bool fits(const std::vector<int64_t> &usage) const;

  /// What a computed bound surely says: less what rounding may have added, and up to an integer where costs are.
  double sureBound(double value) const;
  /// Whether a choice with this bound may cost less than `known`.
  bool isBelow(double bound, double known) const;

  /// costs[k] += scale x (price of label k), for prices by slot given as sums: sums[t] = prices of the slots before t.
  void addPrices(const Node &node, const std::vector<double> &sums, double scale, double *costs) const;
};

/// out[j] = min over i of in[i] + matrix[i, j], for rows i and columns j. `out` has room for, and the matrix is
/// readable up to, a number of columns rounded up to kLanes.
constexpr int kLanes = 8;
void minPlus(const double *in, const double *matrix, int rows, int columns, double *out);

/// Sums of the elements before each place, one more than there are elements.
std::vector<double> prefixSums(const std::vector<double> &values);

} // namespace froe

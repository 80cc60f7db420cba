#pragma once

#include "froe/Planning/Problem.h"

namespace froe {

/// A choice of one strategy for each node, and what is known about it.
struct Solution {
  std::vector<int> choice;
  double cost = 0;       ///< seconds
  double bound = 0;      ///< no choice that fits costs less; at most `cost`
  int64_t peakBytes = 0; ///< largest number of bytes live at one step
  double price = 0;      ///< seconds that one byte more of the memory limit would save, about; 0 where it does not bind

  /// (cost - bound) / cost: 0 where the choice is proven best.
  double gap() const { return cost > 0 ? (cost - bound) / cost : 0; }
};

/// The answer that there is no solution, or none was found.
struct NoPlan {
  enum class Reason {
    Memory,    ///< every plan found needs more than the limit
    Conflict,  ///< every choice has infinite cost: constraints exclude each other
    NotBetter, ///< no plan costs less than the incumbent
    Cancelled, ///< before a plan was found
  };
  Reason reason = Reason::Memory;
  bool proven = false;           ///< whether there is none, rather than none found
  int64_t smallestPeakBytes = 0; ///< of all choices looked at (Memory)
  std::vector<int> smallest;     ///< the choice that needs it (Memory)
  double price = 0;              ///< as in `Solution`, where it was looked for: to begin with in similar problems
};

/// Sum of the costs of a choice (in range), infinity where it is excluded.
double costOf(const Problem &problem, const std::vector<int> &choice);
/// Bytes live at the fullest step.
int64_t peakBytesOf(const Problem &problem, const std::vector<int> &choice);

/// Why the solution is wrong, if it is: a choice missing, out of range or other than the fixed one; excluded; more
/// memory than the limit; cost, peak or bound that are not what they say. Recomputes everything from the problem alone
/// and shares no code with any solver.
std::optional<std::string> verify(const Problem &problem, const Solution &solution);

} // namespace froe

#pragma once

#include "froe/Planning/Problem.h"

#include <optional>

namespace froe {

/// The best way to decide one node otherwise.
struct OtherChoice {
  int strategy = 0;
  double extraSeconds = 0; ///< what the whole costs more with it; may be negative only where memory binds
  std::vector<int> choice; ///< of the whole
};

/// Finds the cheapest choice that differs at a node, by choosing anew what lies around it: the nodes near it, the rest
/// kept. An upper bound of what the strategy costs more, and exact where the rest would not change. Memory is not
/// looked at (see peakBytesOf).
class RunnerUps {
public:
  /// Both must outlive it. `choice` has finite cost.
  RunnerUps(const Problem &problem, const std::vector<int> &choice);

  /// The best choice with another strategy at `node`; nothing where every other one is excluded.
  std::optional<OtherChoice> find(int node) const;
  /// The best choice with this strategy at `node`; nothing where it is excluded.
  std::optional<OtherChoice> force(int node, int strategy) const;

private:
  struct Around;
  Around around(int node) const;
  std::optional<OtherChoice> solveAround(int node, const std::vector<bool> &allowed) const;

  const Problem &problem;
  const std::vector<int> &choice;
  std::vector<std::vector<int>> edgesOf; ///< by node
};

} // namespace froe

#pragma once

#include "Segments.h"

#include "froe/Planning/Problem.h"
#include "froe/Planning/SplitStages.h"

#include <optional>

namespace froe {

/// Where a program may be cut into stages, and what lies between two cuts under one choice of strategies.
class StageCuts {
public:
  /// `problem` is that of `graph`. Cuts are where few bytes cross, between layers: enough for `stages` stages of about
  /// equal length, where there are; all cuts where their number is not given.
  StageCuts(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice,
            std::optional<size_t> stages);

  /// What lies between two cuts next to each other; seconds of sends are left to the caller.
  const std::vector<StageUnit> &units() const { return between; }
  /// The same where units of like ops, as layers have them, have their mean: what they take once each stage may choose
  /// for itself.
  std::vector<StageUnit> evenUnits() const;
  /// The units that stages begin with so that each holds the nodes that its globs match; or why that is not possible.
  std::expected<std::vector<int>, std::string> unitsFor(const std::vector<std::vector<std::string>> &stageNodes) const;
  /// What crosses the cut before unit `unit` (from 1).
  const CutPoint &cutBefore(int unit) const { return cuts[unit - 1]; }
  /// Position of the first op of a unit; of the unit behind the last one: the number of ops.
  int firstPosition(int unit) const;
  /// The form in which a value crosses: as its users share it, else as its maker leaves it, else, where that is
  /// partial, as its first user needs it.
  const Sharding &wireForm(int node, int result) const;

private:
  size_t unitNumberAt(int position) const;

  const ProgramGraph &graph;
  const std::vector<int> &choice;
  std::vector<CutPoint> cuts;
  std::vector<StageUnit> between;
  int end = 0;
};

} // namespace froe

#pragma once

#include "froe/Planning/Problem.h"
#include "froe/Planning/Solve.h"

namespace froe {

/// A part of a chain, such as a layer, as a problem by itself. What it depends on outside of the chain it has copies
/// of.
struct ChainPart {
  Problem problem;
  int entry = -1; ///< stands for the exit of the part before and costs nothing; -1 in the first part
  int exit = -1;  ///< what the next part depends on; -1 in the last part
};

/// A lower bound for a chain of `front`, `middle` over and over, `count` times, and `back`: the smallest sum of all
/// costs, memory left aside, where each part may choose for its copies of what is outside. In time that does not depend
/// on `count`: boundary tables are combined until a part more adds a constant. Exits and entries have the same
/// strategies. 0 where the parts' tables take too much memory. A cache spares work where chains share tables.
double chainBound(const ChainPart &front, const ChainPart &middle, int64_t count, const ChainPart &back,
                  FoldCache &cache);

} // namespace froe

#pragma once

#include "froe/Analysis/CostModel.h"
#include "froe/Planning/Problem.h"

#include <map>
#include <memory>

namespace froe {

/// Turns graphs of one program into problems. What edges cost is shared between them.
class ProblemBuilder {
public:
  explicit ProblemBuilder(CostModel &costs) : costs(costs) {}

  /// Nodes, strategies and edges have the indices of the graph.
  Problem build(const ProgramGraph &graph, int64_t memoryLimit);

private:
  std::vector<double> edgeCosts(const ProgramGraph &graph, const GraphEdge &edge);

  CostModel &costs;
};

} // namespace froe

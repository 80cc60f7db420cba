#pragma once

#include "FactorNames.h"
#include "Layers.h"

#include "froe/Analysis/CostModel.h"
#include "froe/Analysis/PlanResult.h"
#include "froe/Planning/Solution.h"

namespace froe {

/// The step at which most bytes are live.
MemoryPeak memoryPeakOf(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice);

/// Reads a solution as decisions about a program.
class Describer {
public:
  Describer(const ProgramGraph &graph, mlir::func::FuncOp main) : names(graph, main), layers(findLayers(graph)) {}

  /// `graph` may have fewer strategies than the one that the describer was made of, but the same nodes. `costs` are
  /// what the problem was made with.
  PlanResult describe(const ProgramGraph &graph, const Problem &problem, const Solution &solution,
                      CostModel &costs) const;
  const FactorNames &factorNames() const { return names; }

private:
  std::vector<Decision> decide(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice,
                               CostModel &costs) const;
  void addReshards(std::vector<Decision> &decisions, const ProgramGraph &graph, const Problem &problem,
                   const std::vector<int> &choice, CostModel &costs) const;
  std::string pathOf(const ProgramGraph &graph, const GraphEdge &edge, const std::vector<int> &choice,
                     CostModel &costs) const;
  void addRunnersUp(std::vector<Decision> &decisions, const ProgramGraph &graph, const Problem &problem,
                    const std::vector<int> &choice) const;

  FactorNames names;
  Layers layers;
};

} // namespace froe

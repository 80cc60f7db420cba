#pragma once

#include "BuildProblem.h"
#include "LayerSample.h"

#include "froe/Planning/Solve.h"

namespace froe {

/// Lower bounds for all plans of a program on a mesh, from a sample of its layers: in time that does not depend on how
/// many there are.
class LayerBound {
public:
  LayerBound(const LayerSample &sample, const Mesh &mesh, const Cluster &cluster, bool roundsFactors);

  /// The cheapest strategy of each node.
  double leastSeconds();
  /// P16, with P9 at a price of `price` seconds for each byte of a rank, spread evenly over the slots.
  double seconds(double price, int64_t memoryLimit);

private:
  LayerSample sample;
  CostModel costs;
  ProblemBuilder builder;
  std::optional<Problem> problem;
  FoldCache cache;
};

} // namespace froe

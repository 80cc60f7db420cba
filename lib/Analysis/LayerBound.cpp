#include "LayerBound.h"

#include "froe/Planning/ChainBound.h"

#include <algorithm>
#include <limits>

namespace froe {

LayerBound::LayerBound(const LayerSample &layers, const Mesh &mesh, const Cluster &cluster, bool roundsFactors)
    : sample(layers), costs(sample.graph.forecast, mesh, cluster, roundsFactors), builder(costs) {
  putOnMesh(sample.graph, mesh);
}

double LayerBound::leastSeconds() {
  double seconds = 0;
  for (size_t i = 0; i < sample.graph.nodes.size(); ++i) {
    auto [part, isCopy] = sample.places[i];
    if (!isCopy)
      seconds += builder.leastSeconds(sample.graph.nodes[i]) * (part == LayerSample::Middle ? double(sample.count) : 1);
  }
  return seconds;
}

namespace {
/// What each strategy costs with its bytes paid for.
SharedTable<double> pricedCosts(const PlanNode &node, double pricePerSlot) {
  std::vector<double> costs = node.cost.get();
  for (const MemoryUse &use : node.uses)
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += pricePerSlot * double(use.live.end - use.live.begin) * double(use.bytes[s]);
  return costs;
}

/// A copy may be anything that the node itself may be.
SharedTable<double> copiedCosts(const PlanNode &node) {
  std::vector<double> costs = node.cost.get();
  for (double &seconds : costs)
    seconds = std::isfinite(seconds) ? 0 : seconds;
  return costs;
}
} // namespace

double LayerBound::seconds(double price, int64_t memoryLimit) {
  if (!problem)
    problem = builder.build(sample.graph, Problem::kUnlimited);
  double pricePerSlot = sample.slots > 0 ? price / sample.slots : 0;
  ChainPart parts[3];
  std::vector<int> index;
  for (size_t i = 0; i < problem->nodes.size(); ++i) {
    auto [part, isCopy] = sample.places[i];
    std::vector<PlanNode> &nodes = parts[part].problem.nodes;
    const PlanNode &node = problem->nodes[i];
    index.push_back(static_cast<int>(nodes.size()));
    nodes.push_back({node.name, isCopy ? copiedCosts(node) : pricedCosts(node, pricePerSlot), {}, -1});
  }
  for (const PlanEdge &edge : problem->edges)
    parts[sample.places[edge.to].part].problem.edges.push_back({index[edge.from], index[edge.to], edge.cost});
  parts[LayerSample::Front].exit = index[sample.frontExit];
  parts[LayerSample::Middle].entry = index[sample.middleEntry];
  parts[LayerSample::Middle].exit = index[sample.middleExit];
  parts[LayerSample::Back].entry = index[sample.backEntry];
  double paid = memoryLimit == Problem::kUnlimited ? 0 : price * double(memoryLimit);
  return chainBound(parts[LayerSample::Front], parts[LayerSample::Middle], sample.count, parts[LayerSample::Back],
                    cache) -
         paid;
}

} // namespace froe

#pragma once

#include "froe/Sharding/ReshardPath.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace froe {

class ReshardTree;

/// A path and what it costs under the planner's step cost.
struct PricedReshard {
  ReshardPath path;
  double cost = 0;
};

/// `planReshard` that remembers its answers: searches ask for the same few shapes and shardings many thousand times.
/// The first question about a sharding finds the ways to all others. Not thread safe.
class ReshardPlanner {
public:
  ReshardPlanner(Mesh mesh, StepCost cost) : mesh(std::move(mesh)), stepCost(std::move(cost)) {}

  /// nullptr where no path exists. The pointer stays valid as long as the planner.
  const PricedReshard *plan(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                            const Sharding &to);
  /// The cost alone; infinity where no path exists.
  double cost(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Sharding &to);

  const Mesh &getMesh() const { return mesh; }

private:
  const ReshardTree &treeFrom(const std::string &key, std::span<const int64_t> shape, int64_t elementBytes,
                              const Sharding &from);

  Mesh mesh;
  StepCost stepCost;
  std::unordered_map<std::string, std::shared_ptr<const ReshardTree>> trees;
  std::unordered_map<std::string, std::optional<PricedReshard>> known;
};

} // namespace froe

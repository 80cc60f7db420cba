#pragma once

#include "froe/Analysis/KernelForecast.h"
#include "froe/Analysis/ProgramGraph.h"
#include "froe/Cost/Cluster.h"
#include "froe/Cost/Compute.h"
#include "froe/Sharding/ReshardPlanner.h"
#include "froe/Sharding/ReshardTable.h"
#include "froe/Sharding/ReshardVersions.h"

namespace froe {
class ContractOp;

/// f32, bf16, i64, ...: the key of a device's rates.
std::string elementTypeName(mlir::Value value);

/// What decisions cost on one cluster and mesh, in seconds. Remembers what it was asked before.
class CostModel {
public:
  CostModel(const CostModel &) = delete;
  /// `roundsFactors`: products of f32 run at the rate of `tf32`.
  CostModel(std::shared_ptr<const KernelForecast> forecast, const Mesh &mesh, const Cluster &cluster,
            bool roundsFactors = false);

  /// An op on one rank, on local shapes; 0 for what does no work (weights, views).
  double computeSeconds(mlir::Operation *op, const Strategy &strategy) const;
  /// A product on one rank: local sizes.
  MatmulShape productShape(ContractOp product, const Strategy &strategy) const;
  /// The key of the rates at which it multiplies.
  std::string productType(ContractOp product) const;
  /// The cheapest way from one sharding of a value to another; infinity where there is none.
  double reshardSeconds(mlir::Value value, const Sharding &from, const Sharding &to);
  /// The way itself; null where there is none. Valid as long as the model.
  const ReshardPath *reshardPath(mlir::Value value, const Sharding &from, const Sharding &to);
  /// `reshardSeconds` from each of `from` to each of `to`, row-major.
  std::vector<double> reshardSeconds(mlir::Value value, std::span<const Sharding *const> from,
                                     std::span<const Sharding *const> to);
  /// Says beforehand from which shardings values of this type will be resharded: cheaper than one after the other.
  void expectReshards(mlir::Value value, std::span<const Sharding *const> from);
  /// The forms of a value that is given as `from` and needed as `targets`.
  ReshardVersions versionsOf(mlir::Value value, const Sharding &from, std::vector<Sharding> targets);
  /// Bytes that one rank holds of a value.
  int64_t localBytesOf(mlir::Value value, const Sharding &sharding) const;

private:
  int64_t bytesMoved(mlir::Operation *op, const Strategy &strategy) const;

  Mesh mesh;
  Cluster cluster;
  bool roundsFactors;
  StepCost steps;
  MoveCost moves;
  std::shared_ptr<const KernelForecast> forecast;
  ReshardPlanner planner;
  std::unordered_map<const void *, ReshardTable> tables; ///< by type
  ReshardTable &tableOf(mlir::Value value);
};

} // namespace froe

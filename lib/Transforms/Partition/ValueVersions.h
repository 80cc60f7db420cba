#pragma once

#include "froe/Sharding/ReshardVersions.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace froe {

/// The type of one rank's block of a tensor.
mlir::RankedTensorType localType(mlir::RankedTensorType type, const Sharding &sharding, const Mesh &mesh);
/// Names of mesh axes, as rank ops list them.
mlir::ArrayAttr axisNames(mlir::Builder &builder, const AxisList &axes, const Mesh &mesh);

/// All forms in which one value is needed, and how they come from each other: a tree of collectives whose root is the
/// form in which the value is made. Equal reshards, and equal first steps of different ones, are done once.
///
///   made as partial<sum>{"x"}, needed as [{"x"}, {}] and as [{}, {}]:  reduce_scatter, and an all_gather of its result
class ValueVersions {
public:
  /// `value` is the rank's block of a tensor of type `type`.
  ValueVersions(mlir::Value value, mlir::RankedTensorType type, const Sharding &sharding, const Mesh &mesh);

  /// Finds the cheapest tree that reaches `targets`: the nearest one to what is already there first. False if one is
  /// out of reach.
  bool connect(std::vector<Sharding> targets, ReshardPlanner &planner);
  /// The value in a form that was connected; inserts the collectives that are still missing.
  mlir::Value get(mlir::OpBuilder &builder, const Sharding &sharding);

private:
  mlir::Value emit(mlir::OpBuilder &builder, int index);

  mlir::RankedTensorType type;
  const Mesh &mesh;
  mlir::Location loc; ///< collectives carry the name of the node that makes the value
  ReshardVersions versions;
  std::vector<mlir::Value> values; ///< of each version; null as long as nobody needed it
};

} // namespace froe

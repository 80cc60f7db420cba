#pragma once

#include "dialects/Froe/Froe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

/// Whether the plan that @main carries is one: every sharding fits its tensor and the mesh, and what an op needs and
/// gives is together a strategy of its rule. So no partial value reaches an op that its rule does not name it for, and
/// nothing is cut that must be whole, whoever wrote the plan.
mlir::LogicalResult checkPlan(mlir::func::FuncOp main, const Mesh &mesh);

} // namespace froe

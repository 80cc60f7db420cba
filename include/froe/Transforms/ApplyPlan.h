#pragma once

#include "froe/Analysis/Plan.h"

namespace froe {

/// Writes a plan into the program it was made for: `program` phase to `plan` phase. The module gets the mesh, arguments
/// and results of @main their `froe.sharding`, ops `froe.in` and `froe.out`.
void applyPlan(mlir::ModuleOp module, const PlanResult &plan);

/// Says at each op what the plan takes it to cost, for readers: `froe.cost = "batch:x ffn:y, compute 2.71 ms, ..."`.
/// No phase looks at it.
void annotateCosts(mlir::ModuleOp module, const PlanResult &plan);

} // namespace froe

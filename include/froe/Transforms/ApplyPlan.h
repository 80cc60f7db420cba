#pragma once

#include "froe/Analysis/Plan.h"

namespace froe {

/// Writes a plan into the program it was made for: `program` phase to `plan` phase. The module gets the mesh, arguments
/// and results of @main their `froe.sharding`, ops `froe.in` and `froe.out`.
void applyPlan(mlir::ModuleOp module, const PlanResult &plan);

} // namespace froe

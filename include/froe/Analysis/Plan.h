#pragma once

#include "froe/Analysis/PlanResult.h"
#include "froe/Cost/Cluster.h"
#include "froe/Planning/Solve.h"

#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <string>

namespace froe {

/// What a user says about the plan.
struct PlanOptions {
  /// Nothing, one of the named plans `replicated`, `data` or `tensor`, `random:SEED` (tests: any plan gives the same
  /// numbers), or a constraint file (JSON):
  /// {"tensors": {PATTERN: [["x"], []]}, "forbid": {PATTERN: [[], ["x"]]}}. Patterns are globs over ONNX tensor or node
  /// names.
  std::string constrain;
  /// A plan.json whose strategies are taken as they are; excludes `constrain`.
  std::string planFile;
  /// Bytes that one rank may use; 0: what the cluster says.
  int64_t memoryBytes = 0;
  /// Whether the costs of the named plans are found out as well, for the report.
  bool alternatives = true;
  SolveOptions solve;
};

/// Chooses shardings for the `program` phase's @main on `mesh`. The module is only read.
///
/// Errors are for the user: constraints that name nothing, contradict each other or the program; a plan file of another
/// program or mesh; no plan that fits. Lines after the first are notes (`note: ...`).
std::expected<PlanResult, std::string> plan(mlir::ModuleOp module, const Mesh &mesh, const Cluster &cluster,
                                            const PlanOptions &options = {});

/// The mesh that a plan.json is for.
std::expected<Mesh, std::string> meshOfPlanFile(const std::string &path);

} // namespace froe

#pragma once

#include "froe/Analysis/PlanResult.h"
#include "froe/Cost/Cluster.h"
#include "froe/Planning/Solve.h"

#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace froe {

/// What a plan should be best at: one execution, or many one after the other.
enum class Objective { Latency, Throughput };

/// What a user says about the plan.
struct PlanOptions {
  /// Nothing, one of the named plans `replicated`, `data` or `tensor`, `random:SEED` (tests: any plan gives the same
  /// numbers), a constraint file, or the content of one (JSON, see docs/planning.md).
  std::string constrain;
  /// A plan.json whose strategies are taken as they are; excludes `constrain`.
  std::string planFile;
  /// Strategies that nodes must have, as texts: what `froe explain --why` asks about.
  std::vector<std::pair<std::string, std::string>> force;
  /// Bytes that one rank may use; 0: what the cluster says.
  int64_t memoryBytes = 0;
  /// What the program's floats were converted to: `bf16`, `f16`, or `tf32` (products of f32 round their factors);
  /// empty: nothing.
  std::string floatType;
  bool roundsFactors() const { return floatType == "tf32"; }
  /// Parts of the devices that run consecutive parts of the program, microbatch after microbatch; 0: as many as is
  /// best.
  int64_t stages = 1;
  /// Globs of nodes of each stage, from a constraint file; empty: stages begin where that is best.
  std::vector<std::vector<std::string>> stageNodes;
  /// Parts of the batch that go through the stages one after the other; 0: as many as is best.
  int64_t microbatches = 0;
  Objective objective = Objective::Latency;
  /// Whether fewer devices are tried as well, for the report.
  bool fewerDevices = false;
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

/// The same on the best mesh of `devices` devices, or where `options.stages` says so in stages of equal meshes; `mesh`
/// is that of each stage where it is given. Every answer's bound holds for all meshes of at most three axes and all
/// numbers of stages and microbatches that were to be searched.
std::expected<PlanResult, std::string> planOnDevices(mlir::ModuleOp module, int64_t devices,
                                                     const std::optional<Mesh> &mesh, const Cluster &cluster,
                                                     const PlanOptions &options = {});

/// The mesh that a plan.json is for.
std::expected<Mesh, std::string> meshOfPlanFile(const std::string &path);

} // namespace froe

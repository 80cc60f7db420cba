#pragma once

#include "froe/Cost/Cluster.h"
#include "froe/Planning/Solve.h"
#include "froe/Sharding/Strategy.h"

#include "mlir/IR/BuiltinOps.h"

#include <nlohmann/json.hpp>

#include <expected>
#include <optional>
#include <string>
#include <vector>

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

/// How one input, op or output is run.
struct Decision {
  std::string name;  ///< of the ONNX tensor (inputs, outputs, weights) or node
  std::string op;    ///< `input`, `output`, or the op's name without dialect
  std::string text;  ///< the strategy as text: `b=x k=y`; `replicated`
  Strategy strategy; ///< of an input or output: `results[0]` is its sharding
  double computeSeconds = 0;
  double communicationSeconds = 0; ///< of the collectives that combine partial results of this op
  double reshardSeconds = 0;       ///< of all other reshards of its results
  int64_t bytes = 0;               ///< results on one rank
};

/// Names of the plan of the mesh's devices when everything is cut alike; infinite cost where no such plan exists.
struct Alternative {
  std::string name;
  double cost = 0; ///< seconds
};

struct PlanResult {
  Mesh mesh;
  std::vector<Decision> inputs, ops, outputs; ///< arguments, ops and results of @main, in order
  double cost = 0, bound = 0;                 ///< seconds of one execution, and a lower bound under the same costs
  int64_t weightBytes = 0;                    ///< of one rank, as the model stores them
  int64_t memoryBytes = 0;                    ///< weights and live values of one rank at its fullest, as forecast
  int64_t memoryLimitBytes = 0;               ///< what one rank may use
  std::optional<int64_t> arenaBytes;          ///< of each rank; known once the plan's program has its places in memory
  double searchSeconds = 0;
  std::vector<Alternative> alternatives;

  double gap() const { return cost > 0 ? (cost - bound) / cost : 0; }
};

/// Chooses shardings for the `program` phase's @main on `mesh`. The module is only read.
///
/// Errors are for the user: constraints that name nothing, contradict each other or the program; a plan file of another
/// program or mesh; no plan that fits. Lines after the first are notes (`note: ...`).
std::expected<PlanResult, std::string> plan(mlir::ModuleOp module, const Mesh &mesh, const Cluster &cluster,
                                            const PlanOptions &options = {});

/// What plan.json holds, and `froe plan --json` prints.
nlohmann::ordered_json planToJson(const PlanResult &plan);
/// The mesh that a plan.json is for.
std::expected<Mesh, std::string> meshOfPlanFile(const std::string &path);

} // namespace froe

#include "froe/Analysis/Plan.h"

namespace froe {

std::expected<PlanResult, std::string> planOnDevices(mlir::ModuleOp module, int64_t devices,
                                                     const std::optional<Mesh> &mesh, const Cluster &cluster,
                                                     const PlanOptions &options) {
  return plan(module, mesh ? *mesh : Mesh{{{"x", devices}}}, cluster, options);
}

} // namespace froe

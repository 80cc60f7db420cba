#pragma once

#include "froe/Analysis/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace froe {

/// What a plan is made of, as plan.json keeps it under `made_for`: enough to see later whether it still fits, and to
/// plan the same program again.
///
///   {"program": "9f2c...", "cluster": {"name": "cpu", ...}, "constrain": "data" or {...},
///    "given": false (whether all decisions were), "memory_bytes": 0, "dtype": "", "stages": 1, "microbatches": 0,
///    "objective": "latency"}
nlohmann::ordered_json describeMaking(mlir::func::FuncOp main, const Cluster &cluster, const PlanOptions &options);

/// Whether a plan file may be used for a program on a cluster; an empty name is no file. The error says what it was
/// made for instead, and what to do; of another cluster a note says that costs are new. A plan without `made_for`,
/// written by hand, may always be used.
std::expected<std::vector<std::string>, std::string> checkPlanFile(const std::string &file, mlir::func::FuncOp main,
                                                                   const Cluster &cluster);

} // namespace froe

#pragma once

#include "Command.h"

namespace froe {

/// The plan of a package or file, as read.
struct KnownPlan {
  nlohmann::ordered_json json;
  std::filesystem::path program; ///< the program in the package; empty where there is none
};

/// Plans again as the plan was made, with a node's strategy forced. `model` (.onnx or .mlir) stands for the program
/// where the plan lies alone; empty: the file that it was made from. A failure of exit code 0 is an answer: there is no
/// such plan.
Compiled<PlanResult> planWith(const KnownPlan &plan, const std::string &model, const std::string &node,
                              const std::string &strategy);

} // namespace froe

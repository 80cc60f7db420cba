// What the commands of the driver have in common. Each command is one file: it adds its options to the parser and hands
// back the function that does its work.
#pragma once

#include "Parser.h"

#include "froe/Pipelines/Compile.h"

#include <nlohmann/json.hpp>

namespace froe {

Action addCompile(CLI::App &command);
Action addPlan(CLI::App &command);
Action addExplain(CLI::App &command);
Action addVerify(CLI::App &command);
Action addOps(CLI::App &command);
Action addCheck(CLI::App &command);
Action addCalibrate(CLI::App &command);
Action addDoctor(CLI::App &command);
Action addSolve(CLI::App &command);

/// Options that fix what a model leaves open, and how it is planned; texts as the user wrote them.
struct ModelArguments {
  std::string model;
  std::vector<std::string> dims, shapes, constants;
};
struct PlanArguments {
  std::string mesh, cluster, constrain, planFile;
  int64_t devices = 0;
  std::string memory, stages = "1", microbatches = "auto", objective = "latency", floatType;
};
void addModelOptions(CLI::App &command, ModelArguments &arguments);
void addPlanOptions(CLI::App &command, PlanArguments &arguments);

/// Both as options of a compilation; the error names the argument at fault.
std::expected<ImportOptions, std::string> importOptions(const ModelArguments &arguments);
std::expected<CompileOptions, std::string> compileOptions(const ModelArguments &model, const PlanArguments &plan);

/// Prints `error: ...` and notes on stderr.
int report(const CompileFailure &failure);

/// Says what goes on, on a terminal, once the work has taken a second.
std::function<void(std::string_view)> progressLine();

} // namespace froe

#include "Command.h"
#include "PlanText.h"

#include <fmt/format.h>
#include <fstream>

namespace froe {
namespace {

struct Arguments {
  ModelArguments model;
  PlanArguments plan;
  std::string save;
  bool json = false;
};

int plan(const Arguments &arguments) {
  std::expected<CompileOptions, std::string> options = compileOptions(arguments.model, arguments.plan);
  if (!options)
    return report(1, {options.error()});
  options->import.needWeights = false;
  options->progress = progressLine();
  Compiled<PlanResult> result = Compilation(*options).makePlan();
  if (!result)
    return report(result.error());
  for (const std::string &note : result->notes)
    report(0, {"note: " + note});
  nlohmann::ordered_json json = planToJson(*result);
  if (!arguments.save.empty()) {
    std::ofstream stream(arguments.save);
    stream << json.dump(2) << "\n";
    stream.close();
    if (!stream)
      return report(1, {fmt::format("cannot write '{}'", arguments.save)});
  }
  fmt::print("{}", arguments.json ? json.dump() + "\n" : planText(json, PlanDetail::Brief));
  return 0;
}

} // namespace

Action addPlan(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  addModelOptions(command, arguments->model);
  addPlanOptions(command, arguments->plan);
  command.add_option("--save", arguments->save, "file for the plan; can be edited and given back with --plan")
      ->type_name("FILE");
  addJson(command, arguments->json);
  return [arguments] { return plan(*arguments); };
}

} // namespace froe

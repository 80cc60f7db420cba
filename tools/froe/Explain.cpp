#include "Command.h"
#include "PlanText.h"

#include <fmt/format.h>
#include <fstream>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string package, node, other;
  bool json = false;
};

/// The plan of a package, or a plan file.
std::expected<Json, std::string> readPlan(const std::string &path) {
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(file))
    file /= "plan.json";
  std::ifstream stream(file);
  if (!stream)
    return std::unexpected(fmt::format("cannot read '{}': expected a package or a plan.json", file.string()));
  Json plan = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  for (const char *key :
       {"mesh", "nodes", "tensors", "predicted", "cost", "bound", "gap", "alternatives", "search_seconds"})
    if (plan.is_discarded() || !plan.is_object() || !plan.contains(key))
      return std::unexpected(fmt::format("'{}' is not a plan: expected JSON with '{}'", file.string(), key));
  return plan;
}

int explain(const Arguments &arguments) {
  std::expected<Json, std::string> plan = readPlan(arguments.package);
  if (!plan)
    return report(1, {plan.error()});
  if (!arguments.other.empty()) {
    std::expected<Json, std::string> other = readPlan(arguments.other);
    if (!other)
      return report(1, {other.error()});
    fmt::print("{}", differenceText(*plan, *other));
    return 0;
  }
  if (arguments.json) {
    fmt::print("{}\n", plan->dump());
    return 0;
  }
  std::string text = arguments.node.empty() ? planText(*plan) : nodeText(*plan, arguments.node);
  if (text.empty())
    return report(1, {fmt::format("'{}' has no node '{}'", arguments.package, arguments.node)});
  fmt::print("{}", text);
  return 0;
}

} // namespace

Action addExplain(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("package", arguments->package, "a package or a plan.json")->required()->type_name("P.froe");
  command.add_option("node", arguments->node, "say all about this ONNX node or tensor")->type_name("NAME");
  command.add_option("--diff", arguments->other, "say what another package or plan.json decides differently")
      ->type_name("OTHER");
  addJson(command, arguments->json);
  return [arguments] { return explain(*arguments); };
}

} // namespace froe

#include "Command.h"
#include "PlanText.h"
#include "Why.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string package, node, other, why, model;
  bool all = false, json = false;
};

/// The plan of a package, or a plan file.
std::expected<KnownPlan, std::string> readPlan(const std::string &path) {
  KnownPlan plan;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(file)) {
    if (std::filesystem::exists(file / "program.mlir"))
      plan.program = file / "program.mlir";
    file /= "plan.json";
  }
  std::ifstream stream(file);
  if (!stream)
    return std::unexpected(fmt::format("cannot read '{}': expected a package or a plan.json", file.string()));
  plan.json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  for (const char *key :
       {"mesh", "nodes", "tensors", "predicted", "cost", "bound", "gap", "alternatives", "search_seconds"})
    if (plan.json.is_discarded() || !plan.json.is_object() || !plan.json.contains(key))
      return std::unexpected(fmt::format("'{}' is not a plan: expected JSON with '{}'", file.string(), key));
  return plan;
}

/// Names that hold the text, or what stands behind its last `/`, for an error.
std::string similarNames(const Json &plan, const std::string &text) {
  constexpr size_t kTold = 3;
  std::string part = text.substr(text.rfind('/') + 1);
  std::vector<std::string> names;
  for (const Json &node : plan.at("nodes"))
    if (std::string name = node.at("name"); name.contains(part) && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  if (part.empty() || names.empty())
    return "; --all lists those there are";
  size_t more = names.size() - std::min(names.size(), kTold);
  names.resize(names.size() - more);
  return fmt::format("; there are '{}'{}", fmt::join(names, "', '"), more > 0 ? fmt::format(" and {} more", more) : "");
}

int explainDifference(const Arguments &arguments, const Json &plan) {
  std::expected<KnownPlan, std::string> other = readPlan(arguments.other);
  if (!other)
    return report(1, {other.error()});
  fmt::print("{}",
             arguments.json ? differenceJson(plan, other->json).dump() + "\n" : differenceText(plan, other->json));
  return 0;
}

/// Why a node is not decided otherwise: what the plan would be then.
int explainWhy(const Arguments &arguments, const KnownPlan &plan) {
  auto question = splitAssignment(arguments.why);
  if (!question)
    return report(1, {fmt::format("--why: expected NODE=STRATEGY such as 'fc1=batch:x', found '{}'", arguments.why)});
  Compiled<PlanResult> forced = planWith(plan, arguments.model, question->first, question->second);
  if (!forced)
    return report(forced.error());
  Json other = planToJson(*forced);
  if (arguments.json) {
    Json json = differenceJson(plan.json, other);
    json["extra"] = forced->cost - plan.json.at("cost").get<double>();
    json["plan"] = other;
    fmt::print("{}\n", json.dump());
    return 0;
  }
  fmt::print("{}", whyText(plan.json, other, question->first, question->second));
  return 0;
}

int explain(const Arguments &arguments) {
  std::expected<KnownPlan, std::string> plan = readPlan(arguments.package);
  if (!plan)
    return report(1, {plan.error()});
  if (!arguments.other.empty())
    return explainDifference(arguments, plan->json);
  if (!arguments.why.empty())
    return explainWhy(arguments, *plan);
  if (arguments.json) {
    fmt::print("{}\n", plan->json.dump());
    return 0;
  }
  std::string text = arguments.node.empty() ? planText(plan->json, arguments.all ? PlanDetail::Full : PlanDetail::Brief)
                                            : nodeText(plan->json, arguments.node);
  if (text.empty())
    return report(1, {fmt::format("'{}' has no node '{}'{}", arguments.package, arguments.node,
                                  similarNames(plan->json, arguments.node))});
  fmt::print("{}", text);
  return 0;
}

} // namespace

Action addExplain(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("package", arguments->package, "a package or a plan.json")->required()->type_name("P.froe");
  command.add_option("node", arguments->node, "say all about this ONNX node or tensor")->type_name("NAME");
  command.add_flag("--all", arguments->all, "list every op of every kind of layer");
  command.add_option("--diff", arguments->other, "say what another package or plan.json decides differently")
      ->type_name("OTHER");
  command
      .add_option("--why", arguments->why,
                  "say what the plan would be with this strategy for this node, and what it would cost more")
      ->type_name("NODE=STRATEGY");
  command
      .add_option("--model", arguments->model,
                  "the model, for --why about a plan.json alone; default: the file it was made from")
      ->type_name("FILE");
  addJson(command, arguments->json);
  return [arguments] { return explain(*arguments); };
}

} // namespace froe

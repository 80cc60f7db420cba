#include "Why.h"

#include <fmt/format.h>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

std::string meshText(const Json &mesh) {
  std::string text;
  for (auto &[axis, size] : mesh.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis, size.dump());
  return text;
}

std::unexpected<CompileFailure> wrong(std::string line) {
  return std::unexpected(CompileFailure{1, {std::move(line)}});
}

PlanOptions planOptions(const Json &made, size_t stages, int64_t microbatches) {
  PlanOptions options;
  Json constrain = made.value("constrain", Json(""));
  options.constrain = constrain.is_string() ? constrain.get<std::string>() : constrain.dump();
  options.memoryBytes = made.value("memory_bytes", int64_t(0));
  options.stages = static_cast<int64_t>(stages);
  options.microbatches = microbatches;
  options.objective = made.value("objective", "") == "throughput" ? Objective::Throughput : Objective::Latency;
  options.alternatives = false;
  return options;
}

} // namespace

Compiled<PlanResult> planWith(const KnownPlan &plan, const std::string &model, const std::string &node,
                              const std::string &strategy) {
  const Json made = plan.json.value("made_for", Json::object());
  if (!made.contains("cluster"))
    return wrong("the plan does not say what it was made for ('made_for'): plan again to ask about it");
  std::expected<Cluster, std::string> cluster = Cluster::parse(made["cluster"].dump());
  if (!cluster)
    return wrong(cluster.error());
  CompileOptions options;
  options.model = !model.empty() ? model : !plan.program.empty() ? plan.program.string() : made.value("model", "");
  options.import.needWeights = false;
  if (made.contains("dims"))
    options.import.dims = made["dims"].get<decltype(options.import.dims)>();
  if (made.contains("shapes"))
    options.import.shapes = made["shapes"].get<decltype(options.import.shapes)>();
  if (made.contains("constants"))
    options.import.constants = made["constants"].get<decltype(options.import.constants)>();
  options.floats = made.value("dtype", "");
  options.mesh = meshText(plan.json.at("mesh"));
  options.machine = *cluster;
  options.plan =
      planOptions(made, plan.json.value("stages", Json::array()).size(), plan.json.value("microbatches", int64_t(1)));
  options.plan.force = {{node, strategy}};
  Compilation compilation(options);
  return compilation.makePlan(/*layOutMemory=*/false);
}

} // namespace froe

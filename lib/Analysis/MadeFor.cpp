#include "MadeFor.h"

#include "froe/Analysis/ProgramHash.h"

#include <fmt/format.h>

#include <fstream>

namespace froe {

namespace {

using Json = nlohmann::ordered_json;

/// A constraint file's content is kept, not its name: the file may change.
Json constraintsOf(const std::string &constrain) {
  std::ifstream file(constrain);
  Json json = file ? Json::parse(file, nullptr, /*allow_exceptions=*/false) : Json();
  return json.is_object() ? json : Json(constrain);
}

} // namespace

Json describeMaking(mlir::func::FuncOp main, const Cluster &cluster, const PlanOptions &options) {
  return {{"program", programHash(main)},
          {"cluster", Json::parse(cluster.toJson())},
          {"constrain", constraintsOf(options.constrain)},
          {"given", !options.planFile.empty()},
          {"memory_bytes", options.memoryBytes},
          {"dtype", options.floatType},
          {"stages", options.stages},
          {"microbatches", options.microbatches},
          {"objective", options.objective == Objective::Latency ? "latency" : "throughput"}};
}

std::expected<std::vector<std::string>, std::string> checkPlanFile(const std::string &file, mlir::func::FuncOp main,
                                                                   const Cluster &cluster) {
  std::vector<std::string> notes;
  std::ifstream stream(file);
  Json plan = stream ? Json::parse(stream, nullptr, /*allow_exceptions=*/false) : Json();
  if (!plan.is_object() || !plan.contains("made_for") || !plan["made_for"].is_object())
    return notes; // what else is wrong is said where the plan is read
  const Json &made = plan["made_for"];
  std::string program = programHash(main);
  if (made.contains("program") && made["program"] != program)
    return std::unexpected(
        fmt::format("{}: the plan was made for another program (hash {}, this one's is \"{}\")\n"
                    "note: plan this one anew, or give the model and the sizes (--dim, --shape, --const) that the plan "
                    "was made with\n"
                    "note: without \"made_for\" in the file only the names and strategies of its nodes are checked",
                    file, made["program"].dump(), program));
  if (made.contains("cluster") && made["cluster"] != Json::parse(cluster.toJson()))
    notes.push_back(fmt::format(
        "{}: the plan was made for cluster {}, which is not '{}' of today: its decisions are "
        "kept, its costs are new, and it may no longer be the best",
        file, made["cluster"].is_object() ? made["cluster"].value("name", Json("?")).dump() : "?", cluster.name));
  return notes;
}

} // namespace froe

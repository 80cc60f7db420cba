#include "froe/Analysis/PlanResult.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace froe {

namespace {

using Json = nlohmann::ordered_json;

Json meshToJson(const Mesh &mesh) {
  Json json = Json::object();
  for (const MeshAxis &axis : mesh.axes)
    json[axis.name] = axis.size;
  return json;
}

Json shardingToJson(const Sharding &sharding, const Mesh &mesh) {
  Json dims = Json::array();
  for (const AxisList &dim : sharding.dims) {
    Json axes = Json::array();
    for (AxisIndex axis : dim)
      axes.push_back(mesh.axes[axis].name);
    dims.push_back(std::move(axes));
  }
  return dims;
}

Json reshardToJson(const Reshard &reshard) {
  return {{"to", reshard.to}, {"us", reshard.seconds * 1e6}, {"combines", reshard.combines}, {"path", reshard.path}};
}

Json decisionToJson(const Decision &decision) {
  Json json{{"name", decision.name},
            {"op", decision.op},
            {"strategy", decision.text},
            {"compute_us", decision.computeSeconds * 1e6},
            {"communication_us", decision.communicationSeconds * 1e6},
            {"reshard_us", decision.reshardSeconds * 1e6},
            {"bytes", decision.bytes},
            {"shape", decision.shape}};
  if (decision.layer >= 0)
    json["layer"] = decision.layer;
  if (decision.role >= 0)
    json["role"] = decision.role;
  for (const Reshard &reshard : decision.reshards)
    json["reshards"].push_back(reshardToJson(reshard));
  if (decision.runnerUp)
    json["runner_up"] = {{"strategy", decision.runnerUp->strategy},
                         {"extra_us", decision.runnerUp->extraSeconds * 1e6},
                         {"extra_bytes", decision.runnerUp->extraBytes},
                         {"fits", decision.runnerUp->fits}};
  return json;
}

Json layersToJson(const PlanResult &plan) {
  Json runs = Json::array();
  for (const LayerRun &run : plan.layers)
    runs.push_back({{"first", run.first}, {"count", run.count}});
  return runs;
}

Json memoryPeakToJson(const MemoryPeak &peak) {
  Json values = Json::array();
  for (const MemoryPeak::Holder &holder : peak.values)
    values.push_back({{"name", holder.name}, {"bytes", holder.bytes}});
  return {{"during", peak.during},
          {"weight_bytes", peak.weightBytes},
          {"values", values},
          {"other_bytes", peak.otherBytes}};
}

/// Tensors that the user can name: inputs, weights, outputs, and what nodes make.
Json tensorToJson(const Decision &decision, const Mesh &mesh) {
  const Sharding &sharding = decision.strategy.results[0];
  Json json{{"name", decision.name}, {"dims", decision.dims}, {"sharding", shardingToJson(sharding, mesh)}};
  if (sharding.isPartial())
    json["partial"] = {{"kind", name(sharding.partialKind)}, {"axes", Json::array()}};
  for (AxisIndex axis : sharding.partial)
    json["partial"]["axes"].push_back(mesh.axes[axis].name);
  return json;
}

Json stageToJson(const PlanResult &plan, const PlanStage &stage) {
  Json devices = Json::array();
  for (int64_t device = 0; device < stage.mesh.deviceCount(); ++device)
    devices.push_back(stage.firstDevice + device);
  auto nameOf = [&](size_t op) { return op < plan.ops.size() ? plan.ops[op].name : ""; };
  return {
      {"first", nameOf(stage.firstOp)},    {"last", nameOf(stage.lastOp)},         {"devices", devices},
      {"mesh", meshToJson(stage.mesh)},    {"microbatch_ms", stage.seconds * 1e3}, {"send_ms", stage.sendSeconds * 1e3},
      {"weight_bytes", stage.weightBytes}, {"memory_bytes", stage.memoryBytes}};
}

Json stagesToJson(const PlanResult &plan) {
  Json stages = Json::array();
  for (const PlanStage &stage : plan.stages)
    stages.push_back(stageToJson(plan, stage));
  if (stages.empty()) // all that there is
    stages.push_back(stageToJson(plan, {0, plan.ops.empty() ? 0 : plan.ops.size() - 1, 0, plan.mesh, plan.cost, 0,
                                        plan.weightBytes, plan.memoryBytes}));
  return stages;
}

Json deviceCountsToJson(const PlanResult &plan) {
  Json counts = Json::array();
  for (const DeviceCount &count : plan.deviceCounts) {
    Json json{{"devices", count.devices},
              {"mesh", meshToJson(count.mesh)},
              {"stages", count.stages},
              {"microbatches", count.microbatches},
              {"memory_bytes", count.memoryBytes}};
    if (std::isfinite(count.cost))
      json["cost"] = count.cost;
    counts.push_back(std::move(json));
  }
  return counts;
}

/// Bytes of the largest arena of a rank: as laid out, or what the search counted beside the weights.
int64_t arenaBytesOf(const PlanResult &plan) {
  int64_t bytes = plan.memoryBytes - plan.weightBytes;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    int64_t ofStage = plan.stages[i].memoryBytes - plan.stages[i].weightBytes;
    bytes = i == 0 ? ofStage : std::max(bytes, ofStage);
  }
  return plan.arenaBytes.value_or(bytes);
}

/// Keys that end in `bytes` are those of one rank.
Json predictionToJson(const PlanResult &plan) {
  double throughput = plan.throughputPerSecond > 0 ? plan.throughputPerSecond : plan.cost > 0 ? 1 / plan.cost : 0;
  Json json{{"latency_ms", plan.cost * 1e3}, {"throughput_per_s", throughput}, {"peak_bytes", arenaBytesOf(plan)}};
  if (plan.arenaBytes)
    json["arena_bytes"] = *plan.arenaBytes;
  json["weight_bytes"] = plan.weightBytes;
  json["memory_bytes"] = plan.memoryBytes;
  if (plan.memoryLimitBytes != std::numeric_limits<int64_t>::max())
    json["memory_limit_bytes"] = plan.memoryLimitBytes;
  return json;
}

} // namespace

Json planToJson(const PlanResult &plan) {
  Json nodes = Json::array(), tensors = Json::array(), alternatives = Json::array();
  for (const std::vector<Decision> *decisions : {&plan.inputs, &plan.ops, &plan.outputs})
    for (const Decision &decision : *decisions) {
      nodes.push_back(decisionToJson(decision));
      tensors.push_back(tensorToJson(decision, plan.mesh));
    }
  for (const Alternative &alternative : plan.alternatives)
    alternatives.push_back({{"name", alternative.name},
                            {"cost", alternative.cost},
                            {"memory_bytes", alternative.memoryBytes},
                            {"fits", alternative.fits}});
  Json json{{"made_for", plan.madeFor},
            {"mesh", meshToJson(plan.mesh)},
            {"stages", stagesToJson(plan)},
            {"microbatches", plan.microbatches},
            {"predicted", predictionToJson(plan)},
            {"memory_peak", memoryPeakToJson(plan.memoryPeak)},
            {"layers", layersToJson(plan)},
            {"cost", plan.cost},
            {"bound", plan.bound},
            {"gap", plan.gap()},
            {"search_seconds", plan.searchSeconds},
            {"searched", plan.searched},
            {"nodes", nodes},
            {"tensors", tensors},
            {"alternatives", alternatives}};
  if (!plan.deviceCounts.empty())
    json["device_counts"] = deviceCountsToJson(plan);
  if (plan.advisedDevices > 0)
    json["advised_devices"] = plan.advisedDevices;
  return json;
}

} // namespace froe

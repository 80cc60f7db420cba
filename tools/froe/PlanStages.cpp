// How a plan divides devices and batch, and what other numbers of devices would do.
#include "PlanText.h"
#include "TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

/// What a row of the table says about one stage.
struct Stage {
  int64_t firstDevice = 0, lastDevice = -1;
  int firstLayer = -1, lastLayer = -1;
  std::string time, memory, first;

  int layers() const { return firstLayer < 0 ? 0 : lastLayer - firstLayer + 1; }
  bool isLike(const Stage &other) const {
    return layers() == other.layers() && time == other.time && memory == other.memory;
  }
};

bool isWork(const Json &node) {
  std::string op = node.at("op");
  return op != "input" && op != "output";
}

/// Reads the stages in order, and which layers the ops of each belong to. Names of nodes need not be unique: a stage
/// goes on to the last of its last node's ops.
std::vector<Stage> readStages(const Json &plan) {
  std::vector<Stage> stages;
  const Json &nodes = plan.at("nodes");
  size_t next = 0;
  while (next < nodes.size() && !isWork(nodes[next]))
    ++next;
  for (const Json &json : plan.at("stages")) {
    Stage stage;
    if (const Json &devices = json.at("devices"); !devices.empty())
      stage.firstDevice = devices.front(), stage.lastDevice = devices.back();
    stage.time = timeText(json.value("microbatch_ms", 0.0) * 1e3);
    stage.memory = bytesText(json.value("memory_bytes", 0.0), unitsOf(plan));
    stage.first = json.value("first", "");
    std::string last = json.value("last", "");
    for (bool passed = false; next < nodes.size() && isWork(nodes[next]); ++next) {
      const Json &node = nodes[next];
      bool isLast = node.at("name") == last;
      if (passed && !isLast)
        break;
      passed |= isLast;
      if (!node.contains("layer") || !node.contains("role"))
        continue;
      stage.firstLayer = stage.firstLayer < 0 ? node["layer"].get<int>() : stage.firstLayer;
      stage.lastLayer = std::max(stage.lastLayer, node["layer"].get<int>());
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::string span(int64_t first, int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

/// Several stages that are alike stand in one row.
void addRow(TextTable &table, const std::vector<Stage> &stages, size_t first, size_t last) {
  const Stage &one = stages[first];
  std::string layers = one.layers() == 0 ? "" : span(one.firstLayer, stages[last].lastLayer);
  if (last > first && one.layers() > 0)
    layers += fmt::format(" ({} each)", one.layers());
  std::string devices = one.lastDevice < 0 ? "" : span(one.firstDevice, stages[last].lastDevice);
  table.add({span(static_cast<int64_t>(first), static_cast<int64_t>(last)), layers, devices, one.time, one.memory,
             fmt::format("'{}'", one.first)});
}

std::string batchText(const Json &plan, int64_t microbatches) {
  if (microbatches == 1)
    return "the batch goes through whole";
  for (size_t i = 0; i < plan.at("nodes").size() && i < plan.at("tensors").size(); ++i) {
    const Json shape = plan["nodes"][i].value("shape", Json::array());
    const Json dims = plan["tensors"][i].value("dims", Json::array());
    if (plan["nodes"][i].at("op") == "input" && !shape.empty() && !dims.empty() && dims[0] == "batch")
      return fmt::format("the batch goes through in {} microbatches of {}, one behind the other", microbatches,
                         shape[0].dump());
  }
  return fmt::format("the batch goes through in {} microbatches, one behind the other", microbatches);
}

/// `185 ms until the first microbatch is through, then one every 46.7 ms`.
std::string pipelineText(const Json &plan) {
  double all = 0, slowest = 0;
  for (const Json &stage : plan.at("stages")) {
    double each = stage.value("microbatch_ms", 0.0) + stage.value("send_ms", 0.0);
    all += each;
    slowest = std::max(slowest, each);
  }
  return fmt::format("             {} until the first is through all stages, sending included; then one every {}\n",
                     timeText(all * 1e3), timeText(slowest * 1e3));
}

std::string stageTable(const Json &plan) {
  TextTable table(
      {{"stage"}, {"layers"}, {"devices"}, {"a microbatch"}, {"per device"}, {"from", TextTable::Align::Left}}, 4);
  std::vector<Stage> stages = readStages(plan);
  for (size_t first = 0, last; first < stages.size(); first = last + 1) {
    for (last = first; last + 1 < stages.size() && stages[last + 1].isLike(stages[first]);)
      ++last;
    addRow(table, stages, first, last);
  }
  return table.str();
}

/// What did not fit, in one line.
void addTooSmall(TextTable &table, const Json &plan, const std::vector<const Json *> &counts) {
  if (counts.empty())
    return;
  const Json &last = *counts.back();
  table.add({span(counts.front()->at("devices"), last.at("devices")), "does not fit", "",
             bytesText(last.value("memory_bytes", 0.0), unitsOf(plan)),
             counts.size() > 1 ? fmt::format("on {}", last.at("devices").dump()) : ""});
}

void addCount(TextTable &table, const Json &plan, const Json &count) {
  std::string how = "mesh " + meshText(count.at("mesh"));
  if (count.value("stages", 1) > 1)
    how += fmt::format(", {} stages, {} microbatches", count["stages"].dump(), count.at("microbatches").dump());
  int64_t devices = count.at("devices");
  if (devices == devicesOf(plan))
    how += "  <- this plan";
  else if (plan.value("advised_devices", int64_t(0)) == devices)
    how += "  <- advised";
  double seconds = count.at("cost");
  table.add({fmt::format("{}", devices), timeText(seconds * 1e6),
             fmt::format("{:.4g}", seconds * static_cast<double>(devices)),
             bytesText(count.value("memory_bytes", 0.0), unitsOf(plan)), how});
}

} // namespace

std::string stagesText(const Json &plan) {
  const Json &stages = plan.at("stages");
  int64_t microbatches = plan.value("microbatches", int64_t(1));
  if (stages.size() < 2 && microbatches < 2)
    return "";
  if (stages.size() < 2)
    return fmt::format("  batch      {}\n", batchText(plan, microbatches));
  return fmt::format("  stages     {} of mesh {} each run consecutive ops; {}\n", stages.size(),
                     meshText(plan.at("mesh")), batchText(plan, microbatches)) +
         (microbatches > 1 ? pipelineText(plan) : "") + stageTable(plan);
}

std::string deviceCountsText(const Json &plan) {
  if (!plan.contains("device_counts") || plan["device_counts"].size() < 2)
    return "";
  TextTable table({{"devices"}, {"a run"}, {"device-seconds"}, {"per device"}, {"", TextTable::Align::Left}}, 4);
  std::vector<const Json *> tooSmall;
  for (const Json &count : plan["device_counts"]) {
    if (!count.contains("cost")) {
      tooSmall.push_back(&count);
      continue;
    }
    addTooSmall(table, plan, std::exchange(tooSmall, {}));
    addCount(table, plan, count);
  }
  addTooSmall(table, plan, tooSmall);
  std::string text = "  fewer      the best plans found on fewer devices, searched more coarsely\n" + table.str();
  if (plan.contains("advised_devices"))
    text += fmt::format("  advice     take {} devices: more are not faster\n", plan["advised_devices"].dump());
  return text;
}

} // namespace froe

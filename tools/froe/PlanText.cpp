#include "PlanText.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

std::string meshText(const Json &mesh) {
  std::string text;
  for (auto &[axis, size] : mesh.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, size.dump());
  return text;
}

int64_t devicesOf(const Json &plan) {
  int64_t devices = 1;
  for (auto &[axis, size] : plan.at("mesh").items())
    devices *= size.get<int64_t>();
  return devices * std::max<int64_t>(1, static_cast<int64_t>(plan.value("stages", Json::array()).size()));
}

std::string headline(const Json &plan) {
  Json madeFor = plan.value("made_for", Json::object());
  std::string model = std::filesystem::path(madeFor.value("model", "")).filename().string();
  std::string cluster = madeFor.value("cluster", Json::object()).value("name", "");
  int64_t devices = devicesOf(plan);
  return fmt::format("{}{} device{}: mesh {}{}\n", model.empty() ? "" : model + " on ", devices,
                     devices == 1 ? "" : "s", meshText(plan.at("mesh")),
                     cluster.empty() ? "" : fmt::format(", cluster '{}'", cluster));
}

std::string predictionText(const Json &plan) {
  double compute = 0, combining = 0, resharding = 0;
  for (const Json &node : plan.at("nodes")) {
    compute += node.value("compute_us", 0.0);
    combining += node.value("communication_us", 0.0);
    resharding += node.value("reshard_us", 0.0);
  }
  double latency = plan.at("predicted").value("latency_ms", 0.0) * 1e3;
  if (plan.value("microbatches", 1) > 1 || plan.at("stages").size() > 1)
    return fmt::format(
        "  predicted  {} a run, {:.4g} runs a second; of one microbatch in all stages: compute {}, combine "
        "partial results {}, reshard {}\n",
        timeText(latency), plan["predicted"].value("throughput_per_s", 0.0), timeText(compute), timeText(combining),
        timeText(resharding));
  return fmt::format("  predicted  {} a run: compute {}, combine partial results {}, reshard {}\n", timeText(latency),
                     timeText(compute), timeText(combining), timeText(resharding));
}

std::string memoryText(const Json &predicted) {
  double weights = predicted.value("weight_bytes", 0.0), all = predicted.value("memory_bytes", 0.0);
  std::string parts;
  if (predicted.contains("arena_bytes")) {
    double buffers = predicted["arena_bytes"];
    all = weights + buffers;
    parts = fmt::format(": {} of weights and {} of buffers", bytesText(weights), bytesText(buffers));
  } else {
    parts = fmt::format(": {} of weights, the rest live values", bytesText(weights));
  }
  std::string limit;
  if (predicted.contains("memory_limit_bytes"))
    limit = fmt::format(" (limit {})", bytesText(predicted["memory_limit_bytes"].get<double>()));
  return fmt::format("  memory     {}{} per device{}{}\n", predicted.contains("arena_bytes") ? "" : "about ",
                     bytesText(all), parts, limit);
}

std::string proofText(const Json &plan) {
  const Json made = plan.value("made_for", Json::object());
  double gap = plan.at("gap"), bound = plan.at("bound").get<double>() * 1e6, seconds = plan.at("search_seconds");
  bool constrained = !made.value("constrain", Json("")).empty() && made.value("constrain", Json("")) != "";
  std::string which = constrained ? "no plan that keeps the constraints" : "no plan";
  std::string what = made.value("given", false) ? std::string("every decision was given")
                     : gap < 5e-5 ? fmt::format("proven best: {} is cheaper under these costs", which)
                                  : fmt::format("{} takes less than {}: this one is within {:.2g} % of the best", which,
                                                timeText(bound), 100 * gap);
  return fmt::format("  proof      {}; found in {:.2f} s\n", what, seconds);
}

/// `+12 %`, or how many times as much.
std::string relation(double cost, double base) {
  double ratio = base > 0 ? cost / base : 1;
  if (std::abs(ratio - 1) < 5e-4)
    return "the same";
  return ratio < 2 ? fmt::format("{:+.1f} %", 100 * (ratio - 1)) : fmt::format("{:.1f} times", ratio);
}

std::string alternativesText(const Json &plan) {
  std::vector<std::string> parts;
  for (const Json &other : plan.at("alternatives"))
    if (other.at("cost").is_number())
      parts.push_back(fmt::format("{} {} ({})", other.at("name").get<std::string>(),
                                  timeText(other["cost"].get<double>() * 1e6),
                                  relation(other["cost"].get<double>(), plan.at("cost").get<double>())));
  return parts.empty() ? "" : fmt::format("  instead    {}\n", fmt::join(parts, ", "));
}

std::string portsText(const Json &plan) {
  std::string text;
  for (const char *kind : {"input", "output"}) {
    std::vector<std::string> ports;
    for (size_t i = 0; i < plan.at("nodes").size(); ++i)
      if (plan["nodes"][i].at("op") == kind && i < plan.at("tensors").size())
        ports.push_back(
            fmt::format("{} {}", plan["nodes"][i].at("name").get<std::string>(), shardingText(plan["tensors"][i])));
    if (!ports.empty())
      text += fmt::format("  {:<10} {}\n", std::string(kind) + "s", fmt::join(ports, ", "));
  }
  return text;
}

/// Where ops of this name are; names of nodes need not be unique.
std::pair<int, int> layersBetween(const Json &plan, const std::string &first, const std::string &last) {
  int from = -1, to = -1;
  bool inside = false, passed = false;
  for (const Json &node : plan.at("nodes")) {
    std::string op = node.at("op"), name = node.at("name");
    if (op == "input" || op == "output")
      continue;
    inside |= name == first;
    if (passed && name != last)
      break;
    passed |= inside && name == last;
    if (inside && node.contains("layer") && node.contains("role")) {
      from = from < 0 ? node["layer"].get<int>() : from;
      to = std::max(to, node["layer"].get<int>());
    }
  }
  return {from, to};
}

std::string stageText(const Json &plan, const Json &stage, size_t number) {
  const Json &devices = stage.at("devices");
  std::string first = stage.value("first", ""), last = stage.value("last", "");
  auto [from, to] = layersBetween(plan, first, last);
  std::string layers = from < 0     ? ""
                       : from == to ? fmt::format("layer {}, ", from)
                                    : fmt::format("layers {}-{}, ", from, to);
  std::string numbers =
      devices.empty() ? "no devices" : fmt::format("devices {}-{}", devices.front().dump(), devices.back().dump());
  return fmt::format("    {:>3}: {}, {}'{}' to '{}', {} a microbatch, {} per device\n", number, numbers, layers, first,
                     last, timeText(stage.value("microbatch_ms", 0.0) * 1e3),
                     bytesText(stage.value("memory_bytes", 0.0)));
}

std::string stagesText(const Json &plan) {
  const Json &stages = plan.at("stages");
  int64_t microbatches = plan.value("microbatches", int64_t(1));
  if (stages.size() < 2 && microbatches < 2)
    return "";
  std::string text = fmt::format("  stages     {}, each on mesh {}; the batch goes through in {} microbatch{}\n",
                                 stages.size(), meshText(plan.at("mesh")), microbatches, microbatches == 1 ? "" : "es");
  for (size_t i = 0; i < stages.size(); ++i)
    text += stageText(plan, stages[i], i);
  return text;
}

std::string deviceCountText(const Json &plan, const Json &count) {
  std::string how = fmt::format("mesh {}", meshText(count.at("mesh")));
  if (count.value("stages", 1) > 1)
    how += fmt::format(", {} stages, {} microbatches", count["stages"].dump(), count.at("microbatches").dump());
  bool fits = count.contains("cost");
  std::string memory = bytesText(count.value("memory_bytes", 0.0));
  int64_t devices = count.at("devices");
  return fmt::format("    {:>5} devices: {:>10} {} per device  {}{}\n", devices,
                     fits ? timeText(count["cost"].get<double>() * 1e6) : "-", memory, fits ? how : "does not fit",
                     devices == devicesOf(plan) ? "  <- this plan" : "");
}

std::string deviceCountsText(const Json &plan) {
  if (!plan.contains("device_counts"))
    return "";
  std::string text = "  on fewer devices the best plans found are\n";
  for (const Json &count : plan["device_counts"])
    text += deviceCountText(plan, count);
  if (plan.contains("advised_devices"))
    text += fmt::format("  advice     take {} devices: more are not faster\n", plan["advised_devices"].dump());
  return text;
}

std::string peakText(const Json &plan) {
  if (!plan.contains("memory_peak"))
    return "";
  const Json &peak = plan["memory_peak"];
  std::vector<std::string> parts{bytesText(peak.value("weight_bytes", 0.0)) + " of weights"};
  for (const Json &value : peak.value("values", Json::array()))
    parts.push_back(fmt::format("'{}' {}", value.value("name", ""), bytesText(value.value("bytes", 0.0))));
  if (double other = peak.value("other_bytes", 0.0); other > 0)
    parts.push_back(fmt::format("others {}", bytesText(other)));
  return fmt::format("  fullest    during '{}': {}\n", peak.value("during", ""), fmt::join(parts, ", "));
}

} // namespace

std::string timeText(double microseconds) {
  if (microseconds <= 0)
    return "-";
  if (microseconds < 1e3)
    return fmt::format("{:.1f} us", microseconds);
  return microseconds < 1e6 ? fmt::format("{:.4g} ms", microseconds / 1e3)
                            : fmt::format("{:.4g} s", microseconds / 1e6);
}

std::string bytesText(double bytes) {
  if (bytes < 1024)
    return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1 << 20)
    return fmt::format("{:.1f} KiB", bytes / (1 << 10));
  return bytes < 1 << 30 ? fmt::format("{:.1f} MiB", bytes / (1 << 20)) : fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

std::string runnerUpText(const Json &node) {
  if (!node.contains("runner_up"))
    return "";
  const Json &next = node["runner_up"];
  double extra = next.value("extra_us", 0.0);
  std::string difference = std::abs(extra) < 0.05 ? "same" : (extra < 0 ? "-" : "+") + timeText(std::abs(extra));
  return fmt::format("{} {}{}", difference, next.value("strategy", ""),
                     next.value("fits", true) ? "" : " (does not fit)");
}

std::string shardingText(const Json &tensor) {
  std::vector<std::string> dims;
  const Json names = tensor.value("dims", Json::array());
  for (size_t d = 0; d < tensor.at("sharding").size(); ++d) {
    std::string text = d < names.size() ? names[d].get<std::string>() : fmt::format("dim{}", d);
    std::vector<std::string> axes = tensor["sharding"][d];
    dims.push_back(axes.empty() ? text : fmt::format("{}:{}", text, fmt::join(axes, ",")));
  }
  std::string text = fmt::format("[{}]", fmt::join(dims, ", "));
  if (tensor.contains("partial"))
    text += fmt::format(" still to be combined ({}) over {}", tensor["partial"].value("kind", ""),
                        fmt::join(tensor["partial"].at("axes").get<std::vector<std::string>>(), ", "));
  return text;
}

std::string planText(const Json &plan, PlanDetail detail) {
  return headline(plan) + predictionText(plan) + memoryText(plan.at("predicted")) + peakText(plan) + proofText(plan) +
         alternativesText(plan) + portsText(plan) + stagesText(plan) + deviceCountsText(plan) + "\n" +
         layersText(plan, detail);
}

} // namespace froe

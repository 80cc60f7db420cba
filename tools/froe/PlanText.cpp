#include "PlanText.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

/// Many models are called `model.onnx`: then their folder tells more.
std::string modelText(const Json &madeFor) {
  std::filesystem::path path = madeFor.value("model", "");
  std::string name = path.filename().string();
  if (name == "model.onnx" && !path.parent_path().filename().empty())
    name = (path.parent_path().filename() / name).string();
  std::vector<std::string> sizes;
  const Json dims = madeFor.value("dims", Json::object());
  for (auto &[dim, size] : dims.items())
    sizes.push_back(fmt::format("{}={}", dim, size.dump()));
  return sizes.empty() ? name : fmt::format("{} ({})", name, fmt::join(sizes, ", "));
}

std::string headline(const Json &plan) {
  Json madeFor = plan.value("made_for", Json::object());
  std::string model = modelText(madeFor);
  std::string cluster = madeFor.value("cluster", Json::object()).value("name", "");
  std::string type = madeFor.value("dtype", "");
  int64_t devices = devicesOf(plan);
  return fmt::format("{}{} device{}: mesh {}{}{}\n", model.empty() ? "" : model + " on ", devices,
                     devices == 1 ? "" : "s", meshText(plan.at("mesh")),
                     cluster.empty() ? "" : fmt::format(", cluster '{}'", cluster),
                     type.empty() ? "" : fmt::format(", floats as {}", type));
}

/// The parts of a sum that are something.
std::string partsText(const Json &plan) {
  std::vector<std::string> parts;
  for (auto [what, key] : {std::pair("compute", "compute_us"),
                           {"combine partial results", "communication_us"},
                           {"reshard", "reshard_us"}}) {
    double total = 0;
    for (const Json &node : plan.at("nodes"))
      total += node.value(key, 0.0);
    if (total > 0)
      parts.push_back(fmt::format("{} {}", what, timeText(total)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string predictionText(const Json &plan) {
  double latency = plan.at("predicted").value("latency_ms", 0.0) * 1e3;
  if (plan.value("microbatches", 1) == 1 && plan.at("stages").size() == 1)
    return fmt::format("  predicted  {} a run: {}\n", timeText(latency), partsText(plan));
  double rate = plan["predicted"].value("throughput_per_s", 0.0);
  return fmt::format("  predicted  {} a run of the whole batch, {} runs a second one behind the other\n"
                     "             one microbatch through all stages: {}\n",
                     timeText(latency), rate < 1e4 ? fmt::format("{:.4g}", rate) : fmt::format("{:.0f}", rate),
                     partsText(plan));
}

std::string memoryText(const Json &plan) {
  const Json &predicted = plan.at("predicted");
  auto text = [&](double bytes) { return bytesText(bytes, unitsOf(plan)); };
  double weights = predicted.value("weight_bytes", 0.0), all = predicted.value("memory_bytes", 0.0);
  std::string parts = fmt::format(": {} of weights, the rest live values", text(weights)), about = "about ";
  if (predicted.contains("arena_bytes")) {
    double buffers = predicted["arena_bytes"];
    all = weights + buffers;
    parts = fmt::format(": {} of weights and {} of buffers", text(weights), text(buffers));
    about = "";
  }
  std::string limit;
  if (predicted.contains("memory_limit_bytes"))
    limit = fmt::format(" (limit {})", text(predicted["memory_limit_bytes"].get<double>()));
  return fmt::format("  memory     {}{} per device{}{}\n", about, text(all), parts, limit);
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
  int64_t searched = plan.value("searched", int64_t(1));
  std::string where = searched > 1 ? fmt::format(" among {} ways to divide devices and batch", searched) : "";
  return fmt::format("  proof      {}; found{} in {:.2f} s\n", what, where, seconds);
}

/// `+12 %`, or how many times as much.
std::string relation(double cost, double base) {
  double ratio = base > 0 ? cost / base : 1;
  if (std::abs(ratio - 1) < 5e-4)
    return "the same";
  return ratio < 2 ? fmt::format("{:+.1f} %", 100 * (ratio - 1)) : fmt::format("{:.1f} times", ratio);
}

std::string alternativeText(const Json &plan, const Json &other) {
  static const std::map<std::string, std::string> known{
      {"data", "data parallel"}, {"tensor", "tensor parallel"}, {"replicated", "nothing cut"}};
  auto name = known.find(other.at("name").get<std::string>());
  std::string what = name == known.end() ? other["name"].get<std::string>() : name->second;
  if (!other.at("cost").is_number())
    return what + " not possible";
  double cost = other["cost"], base = plan.at("cost");
  std::string fits =
      other.value("fits", true)
          ? ""
          : fmt::format(", needs {}: does not fit", bytesText(other.value("memory_bytes", 0.0), unitsOf(plan)));
  return fmt::format("{} {} ({}{})", what, timeText(cost * 1e6), relation(cost, base), fits);
}

std::string alternativesText(const Json &plan) {
  if (devicesOf(plan) == 1)
    return "";
  std::vector<const Json *> others;
  for (const Json &other : plan.at("alternatives"))
    others.push_back(&other);
  std::ranges::stable_sort(others, {}, [](const Json *other) {
    return other->at("cost").is_number() ? other->at("cost").get<double>() : std::numeric_limits<double>::infinity();
  });
  std::vector<std::string> parts;
  for (const Json *other : others)
    parts.push_back(alternativeText(plan, *other));
  return parts.empty() ? "" : fmt::format("  instead    {}\n", fmt::join(parts, ", "));
}

/// Long lists are cut, and the rest is counted.
void cut(std::vector<std::string> &list) {
  constexpr size_t kTold = 5;
  if (list.size() <= kTold)
    return;
  size_t rest = list.size() - kTold + 1;
  list.resize(kTold - 1);
  list.push_back(fmt::format("… and {} more", rest));
}

std::string portsText(const Json &plan) {
  std::string text;
  for (const char *kind : {"input", "output"}) {
    std::vector<std::string> ports;
    for (size_t i = 0; i < plan.at("nodes").size(); ++i)
      if (plan["nodes"][i].at("op") == kind && i < plan.at("tensors").size())
        ports.push_back(
            fmt::format("{} {}", plan["nodes"][i].at("name").get<std::string>(), shardingText(plan["tensors"][i])));
    cut(ports);
    if (!ports.empty())
      text += fmt::format("  {:<10} {}\n", std::string(kind) + "s", fmt::join(ports, ", "));
  }
  return text;
}

/// What is live at the fullest moment, without what hardly counts.
std::string peakText(const Json &plan) {
  if (!plan.contains("memory_peak"))
    return "";
  constexpr size_t kTold = 3;
  const Json &peak = plan["memory_peak"];
  auto text = [&](double bytes) { return bytesText(bytes, unitsOf(plan)); };
  double weights = peak.value("weight_bytes", 0.0), rest = peak.value("other_bytes", 0.0), live = rest;
  for (const Json &value : peak.value("values", Json::array()))
    live += value.value("bytes", 0.0);
  std::vector<std::string> parts;
  if (weights > 0)
    parts.push_back(text(weights) + " of weights");
  for (const Json &value : peak.value("values", Json::array()))
    if (double bytes = value.value("bytes", 0.0); parts.size() <= kTold && bytes > 0.05 * live)
      parts.push_back(fmt::format("'{}' {}", value.value("name", ""), text(bytes)));
    else
      rest += bytes;
  if (rest > 0)
    parts.push_back(fmt::format("others {}", text(rest)));
  return fmt::format("  fullest    during '{}': {}\n", peak.value("during", ""), fmt::join(parts, ", "));
}

} // namespace

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

std::string timeText(double microseconds) {
  if (microseconds <= 0)
    return "-";
  if (microseconds < 1e3)
    return fmt::format("{:.1f} us", microseconds);
  return microseconds < 1e6 ? fmt::format("{:.4g} ms", microseconds / 1e3)
                            : fmt::format("{:.4g} s", microseconds / 1e6);
}

ByteUnits unitsOf(const Json &plan) { return unitsOf(plan.at("predicted").value("memory_limit_bytes", int64_t(0))); }

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
  return headline(plan) + predictionText(plan) + memoryText(plan) + peakText(plan) + proofText(plan) +
         alternativesText(plan) + portsText(plan) + stagesText(plan) + deviceCountsText(plan) + "\n" +
         layersText(plan, detail);
}

} // namespace froe

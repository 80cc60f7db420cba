#include "PlanText.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(const Json &node) {
  return node.value("compute_us", 0.0) + node.value("communication_us", 0.0) + node.value("reshard_us", 0.0);
}

std::string meshText(const Json &plan) {
  std::string text;
  for (auto &[axis, size] : plan.at("mesh").items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, size.get<int64_t>());
  return text;
}

std::string memoryText(const Json &predicted) {
  auto mebibytes = [&](const char *key) { return predicted.value(key, 0.0) / (1 << 20); };
  if (!predicted.contains("peak_bytes"))
    return fmt::format("about {:.1f} MiB per rank", mebibytes("memory_bytes"));
  return fmt::format("{:.1f} MiB of buffers and {:.1f} MiB of weights per rank", mebibytes("peak_bytes"),
                     mebibytes("weight_bytes"));
}

/// Nodes decided alike, e.g. all contractions cut along the same factor.
struct Group {
  int count = 0;
  double compute = 0, communication = 0;
  std::string example;
};

std::vector<std::pair<std::string, Group>> groupNodes(const Json &plan) {
  std::map<std::string, Group> groups;
  for (const Json &node : plan.at("nodes")) {
    std::string op = node.at("op");
    if (op == "input" || op == "output" || op == "weight" || op == "constant")
      continue;
    Group &group = groups[fmt::format("{} {}", op, node.at("strategy").get<std::string>())];
    ++group.count;
    group.compute += node.value("compute_us", 0.0);
    group.communication += node.value("communication_us", 0.0) + node.value("reshard_us", 0.0);
    if (group.example.empty())
      group.example = node.at("name");
  }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](auto &entry) { return entry.second.compute + entry.second.communication; });
  return sorted;
}

const Json *findNode(const Json &plan, const std::string &name) {
  for (const Json &node : plan.at("nodes"))
    if (node.at("name") == name)
      return &node;
  return nullptr;
}

} // namespace

std::string planText(const Json &plan) {
  double compute = 0, communication = 0;
  for (const Json &node : plan.at("nodes")) {
    compute += node.value("compute_us", 0.0);
    communication += node.value("communication_us", 0.0) + node.value("reshard_us", 0.0);
  }
  std::string text = fmt::format("mesh {}: predicted {:.3f} ms ({:.3f} compute, {:.3f} communication), {}\n",
                                 meshText(plan), plan.at("predicted").value("latency_ms", 0.0), compute / 1e3,
                                 communication / 1e3, memoryText(plan.at("predicted")));
  text += fmt::format("at most {:.1f}% above the cheapest plan (bound {:.3f} ms), found in {:.2f} s\n",
                      100 * plan.at("gap").get<double>(), 1e3 * plan.at("bound").get<double>(),
                      plan.at("search_seconds").get<double>());
  for (const Json &other : plan.at("alternatives"))
    if (other.at("cost").is_number())
      text += fmt::format("instead, plan '{}': {:.3f} ms\n", other.at("name").get<std::string>(),
                          1e3 * other.at("cost").get<double>());
  auto groups = groupNodes(plan);
  for (size_t i = 0; i < std::min<size_t>(groups.size(), 6); ++i) {
    const Group &group = groups[i].second;
    text += fmt::format("{:4} x {:<28} {:9.1f} us compute {:9.1f} us communication   e.g. '{}'\n", group.count,
                        groups[i].first, group.compute, group.communication, group.example);
  }
  return text;
}

std::string nodeText(const Json &plan, const std::string &name) {
  const Json *node = findNode(plan, name);
  if (!node)
    return "";
  std::string text = fmt::format(
      "'{}' ({}): {}\n  compute {:.1f} us, communication {:.1f} us, reshards of its results {:.1f} us, "
      "{} bytes of results per rank\n",
      name, node->at("op").get<std::string>(), node->at("strategy").get<std::string>(), node->value("compute_us", 0.0),
      node->value("communication_us", 0.0), node->value("reshard_us", 0.0), node->value("bytes", int64_t(0)));
  for (const Json &tensor : plan.at("tensors"))
    if (tensor.at("name") == name)
      text += fmt::format("  result: {}{}\n", tensor.at("sharding").dump(),
                          tensor.contains("partial") ? ", partial " + tensor["partial"].dump() : "");
  return text;
}

std::string differenceText(const Json &plan, const Json &other) {
  std::string text = fmt::format("cost {:.3f} ms, other {:.3f} ms\n", 1e3 * plan.at("cost").get<double>(),
                                 1e3 * other.at("cost").get<double>());
  for (const Json &node : plan.at("nodes")) {
    const Json *twin = findNode(other, node.at("name"));
    if (!twin)
      text += fmt::format("'{}': only in the first\n", node.at("name").get<std::string>());
    else if (twin->at("strategy") != node.at("strategy"))
      text += fmt::format("'{}': {} ({:.1f} us), other {} ({:.1f} us)\n", node.at("name").get<std::string>(),
                          node.at("strategy").get<std::string>(), microseconds(node),
                          twin->at("strategy").get<std::string>(), microseconds(*twin));
  }
  return text;
}

} // namespace froe

// What a plan says about one node, and how two plans differ.
#include "PlanText.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(const Json &node) {
  return node.value("compute_us", 0.0) + node.value("communication_us", 0.0) + node.value("reshard_us", 0.0);
}

/// A node is known by its name, its op, and its number among those of the same name and op.
std::string keyOf(const Json &node, std::map<std::string, int> &seen) {
  std::string key = fmt::format("{}\n{}", node.at("name").get<std::string>(), node.at("op").get<std::string>());
  return fmt::format("{}\n{}", key, seen[key]++);
}

std::map<std::string, const Json *> nodesOf(const Json &plan) {
  std::map<std::string, const Json *> nodes;
  std::map<std::string, int> seen;
  for (const Json &node : plan.at("nodes"))
    nodes[keyOf(node, seen)] = &node;
  return nodes;
}

Json sideOf(const Json &node) {
  return {{"strategy", node.at("strategy")}, {"us", microseconds(node)}, {"bytes", node.value("bytes", int64_t(0))}};
}

std::string signedTime(double microseconds) {
  if (std::abs(microseconds) < 0.05)
    return "same time";
  return (microseconds < 0 ? "-" : "+") + timeText(std::abs(microseconds));
}

/// Differences alike in many layers are told once.
struct Line {
  std::string what, example;
  int count = 0;
  double extra = 0;
};

std::vector<Line> linesOf(const Json &difference) {
  std::vector<Line> lines;
  std::map<std::string, size_t> known;
  auto side = [](const Json &node) { return node.is_null() ? "(not there)" : node.at("strategy").get<std::string>(); };
  for (const Json &node : difference.at("nodes")) {
    std::string what = fmt::format("{:<10} {:<25} -> {:<25}", node.at("op").get<std::string>(), side(node.at("first")),
                                   side(node.at("other")));
    auto [place, isNew] = known.try_emplace(what, lines.size());
    if (isNew)
      lines.push_back({what, node.at("name")});
    Line &line = lines[place->second];
    ++line.count;
    line.extra += node.at("extra_us").get<double>();
  }
  std::ranges::stable_sort(lines, std::greater<>(), [](const Line &line) { return std::abs(line.extra); });
  return lines;
}

/// What costs the same is told only where nothing else differs.
std::string linesText(const Json &difference) {
  constexpr double kSame = 0.05;
  std::vector<Line> lines = linesOf(difference);
  std::string text;
  int same = 0;
  for (const Line &line : lines)
    if (std::abs(line.extra) < kSame && std::abs(lines.front().extra) >= kSame)
      same += line.count;
    else
      text += fmt::format("{:>5} x {} {:>10}   {} '{}'\n", line.count, line.what, signedTime(line.extra),
                          line.count > 1 ? "e.g." : "    ", line.example);
  return same == 0 ? text : text + fmt::format("{:>5} more cost the same\n", same);
}

std::string totalLine(const char *what, const std::string &first, const std::string &other) {
  return fmt::format("{:<10} {:>12}, other {:>12}\n", what, first, other);
}

std::string divisionText(const Json &plan) {
  return fmt::format("{} stages, {} microbatches", plan.value("stages", Json::array()).size(),
                     plan.value("microbatches", int64_t(1)));
}

double totalOf(const Json &plan, const char *key) {
  double total = 0;
  for (const Json &node : plan.at("nodes"))
    total += node.value(key, 0.0);
  return total;
}

/// What stays in a kernel, or is made anew where it is used, takes no memory.
std::string heldText(const Json &node, ByteUnits units) {
  double bytes = node.value("bytes", 0.0);
  return bytes > 0 ? bytesText(bytes, units) + " per device" : "not stored";
}

std::string costText(const Json &node) {
  std::string text = fmt::format("  costs      compute {}, combining partial results {}, resharding its results {}\n",
                                 timeText(node.value("compute_us", 0.0)), timeText(node.value("communication_us", 0.0)),
                                 timeText(node.value("reshard_us", 0.0)));
  for (const Json &reshard : node.value("reshards", Json::array())) {
    std::string path = reshard.value("path", "");
    text += fmt::format("             {} {}{} on the way to '{}'\n", timeText(reshard.value("us", 0.0)),
                        reshard.value("combines", false) ? "combining" : "resharding",
                        path.empty() ? "" : " by " + path, reshard.value("to", ""));
  }
  if (node.contains("runner_up"))
    text += fmt::format("  next best  {}\n", runnerUpText(node));
  return text;
}

} // namespace

std::string nodeText(const Json &plan, const std::string &name) {
  std::string text;
  for (size_t i = 0; i < plan.at("nodes").size(); ++i) {
    const Json &node = plan["nodes"][i];
    if (node.at("name") != name)
      continue;
    std::string layer = node.contains("layer") ? fmt::format(", layer {}", node["layer"].dump()) : "";
    text += fmt::format("'{}' ({}{}): {}\n", name, node.at("op").get<std::string>(), layer,
                        node.at("strategy").get<std::string>());
    if (i < plan.at("tensors").size())
      text += fmt::format("  result     {} of shape {}, {}\n", shardingText(plan["tensors"][i]),
                          node.value("shape", Json::array()).dump(), heldText(node, unitsOf(plan)));
    text += costText(node);
  }
  return text;
}

Json differenceJson(const Json &plan, const Json &other) {
  std::map<std::string, const Json *> twins = nodesOf(other);
  std::map<std::string, int> seen;
  Json nodes = Json::array();
  for (const Json &node : plan.at("nodes")) {
    auto twin = twins.extract(keyOf(node, seen));
    if (twin.empty())
      nodes.push_back({{"name", node.at("name")},
                       {"op", node.at("op")},
                       {"first", sideOf(node)},
                       {"other", nullptr},
                       {"extra_us", -microseconds(node)}});
    else if (twin.mapped()->at("strategy") != node.at("strategy"))
      nodes.push_back({{"name", node.at("name")},
                       {"op", node.at("op")},
                       {"first", sideOf(node)},
                       {"other", sideOf(*twin.mapped())},
                       {"extra_us", microseconds(*twin.mapped()) - microseconds(node)}});
  }
  for (auto &[key, twin] : twins)
    nodes.push_back({{"name", twin->at("name")},
                     {"op", twin->at("op")},
                     {"first", nullptr},
                     {"other", sideOf(*twin)},
                     {"extra_us", microseconds(*twin)}});
  return {{"cost", plan.at("cost")}, {"other_cost", other.at("cost")}, {"nodes", nodes}};
}

std::string differenceText(const Json &plan, const Json &other) {
  std::string text =
      totalLine("cost", timeText(plan.at("cost").get<double>() * 1e6), timeText(other.at("cost").get<double>() * 1e6));
  for (auto [what, key] :
       {std::pair("compute", "compute_us"), {"combine", "communication_us"}, {"reshard", "reshard_us"}})
    text += totalLine(what, timeText(totalOf(plan, key)), timeText(totalOf(other, key)));
  auto memory = [&](const Json &of) { return bytesText(of.at("predicted").value("memory_bytes", 0.0), unitsOf(plan)); };
  text += totalLine("memory", memory(plan), memory(other));
  if (plan.at("mesh") != other.at("mesh"))
    text += fmt::format("mesh       {}; other {}\n", meshText(plan["mesh"]), meshText(other["mesh"]));
  if (std::string first = divisionText(plan), second = divisionText(other); first != second)
    text += fmt::format("division   {}; other {}\n", first, second);
  Json difference = differenceJson(plan, other);
  if (difference["nodes"].empty())
    return text + "every node is decided alike\n";
  return text + fmt::format("{} nodes are decided differently:\n", difference["nodes"].size()) + linesText(difference);
}

std::string whyText(const Json &plan, const Json &forced, const std::string &node, const std::string &strategy) {
  double cost = plan.at("cost"), other = forced.at("cost"), bound = forced.at("bound");
  std::string text =
      fmt::format("with '{}' at '{}' the best plan found takes {}: ", strategy, node, timeText(other * 1e6));
  if (std::abs(other - cost) < 1e-9 + 1e-6 * cost)
    text += "as much as without\n";
  else
    text += fmt::format("{} {} ({:+.2f} %)\n", timeText(std::abs(other - cost) * 1e6), other > cost ? "more" : "less",
                        100 * (other / cost - 1));
  if (bound > cost)
    text += fmt::format("no plan with it on this mesh takes less than {}, so it cannot be the better one\n",
                        timeText(bound * 1e6));
  return text + differenceText(plan, forced);
}

} // namespace froe

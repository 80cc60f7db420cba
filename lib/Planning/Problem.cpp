#include "froe/Planning/Problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace froe {

namespace {
/// Costs are finite or +infinity.
bool isCost(double value) { return value >= 0; }

std::optional<std::string> checkNode(const PlanNode &node) {
  if (node.cost.empty())
    return "no strategies";
  if (!std::ranges::all_of(node.cost, isCost))
    return "a cost is negative or no number";
  if (node.fixed < -1 || node.fixed >= node.strategies())
    return fmt::format("fixed to strategy {} of {}", node.fixed, node.strategies());
  for (const MemoryUse &use : node.uses) {
    if (use.live.end <= use.live.begin)
      return fmt::format("live in the empty interval {}..{}", use.live.begin, use.live.end);
    if (use.bytes.size() != node.cost.size())
      return fmt::format("expected bytes of {} strategies, found {}", node.cost.size(), use.bytes.size());
    if (std::ranges::any_of(use.bytes, [](int64_t bytes) { return bytes < 0; }))
      return "negative bytes";
  }
  return std::nullopt;
}

/// Whether sums over any choice stay numbers.
std::optional<std::string> checkSums(const Problem &problem) {
  double seconds = 0;
  int64_t bytes = 0;
  auto addLargest = [&](const std::vector<double> &costs) {
    double largest = 0;
    for (double cost : costs)
      largest = std::max(largest, std::isfinite(cost) ? cost : 0);
    seconds += largest;
  };
  for (const PlanNode &node : problem.nodes) {
    addLargest(node.cost);
    for (const MemoryUse &use : node.uses)
      if (__builtin_add_overflow(bytes, std::ranges::max(use.bytes), &bytes))
        return "all uses together hold more bytes than can be counted";
  }
  for (const PlanEdge &edge : problem.edges)
    addLargest(edge.cost);
  return std::isfinite(seconds) ? std::nullopt : std::optional<std::string>("all costs together exceed any number");
}

std::optional<std::string> checkEdge(const Problem &problem, const PlanEdge &edge) {
  int count = static_cast<int>(problem.nodes.size());
  if (edge.from < 0 || edge.from >= count || edge.to < 0 || edge.to >= count)
    return fmt::format("edge between nodes {} and {} of {}", edge.from, edge.to, count);
  const PlanNode &from = problem.nodes[edge.from], &to = problem.nodes[edge.to];
  std::string what = fmt::format("edge '{}' '{}'", from.name, to.name);
  if (edge.from == edge.to)
    return what + ": leads to itself";
  if (edge.cost.size() != from.cost.size() * to.cost.size())
    return fmt::format("{}: expected {} x {} costs, found {}", what, from.cost.size(), to.cost.size(),
                       edge.cost.size());
  if (!std::ranges::all_of(edge.cost, isCost))
    return what + ": a cost is negative or no number";
  return std::nullopt;
}
} // namespace

std::optional<std::string> Problem::check() const {
  if (memoryLimit < 0)
    return fmt::format("expected a memory limit of at least 0, found {}", memoryLimit);
  for (const PlanNode &node : nodes)
    if (auto why = checkNode(node))
      return fmt::format("node '{}': {}", node.name, *why);
  for (const PlanEdge &edge : edges)
    if (auto why = checkEdge(*this, edge))
      return why;
  return checkSums(*this);
}

} // namespace froe

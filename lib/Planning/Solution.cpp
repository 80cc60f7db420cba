#include "froe/Planning/Solution.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace froe {

// P7: node costs (P2) and edge costs (P3).
double costOf(const Problem &problem, const std::vector<int> &choice) {
  double total = 0;
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    total += problem.nodes[i].cost[choice[i]];
  for (const PlanEdge &edge : problem.edges)
    total += edge.cost[choice[edge.from] * problem.nodes[edge.to].cost.size() + choice[edge.to]];
  return total;
}

// P5: the fullest step, by where intervals (P4) begin and end.
int64_t peakBytesOf(const Problem &problem, const std::vector<int> &choice) {
  std::map<int64_t, int64_t> changes; // by step: how much more is live from there on
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses) {
      changes[use.live.begin] += use.bytes[choice[i]];
      changes[use.live.end] -= use.bytes[choice[i]];
    }
  int64_t live = 0, peak = 0;
  for (const auto &[step, change] : changes)
    peak = std::max(peak, live += change);
  return peak;
}

namespace {
// P1 and P6.
std::optional<std::string> verifyChoice(const Problem &problem, const std::vector<int> &choice) {
  if (choice.size() != problem.nodes.size())
    return fmt::format("expected choices for {} nodes, found {}", problem.nodes.size(), choice.size());
  for (size_t i = 0; i < choice.size(); ++i) {
    const PlanNode &node = problem.nodes[i];
    if (choice[i] < 0 || choice[i] >= node.strategies())
      return fmt::format("node '{}': strategy {} of {}", node.name, choice[i], node.strategies());
    if (node.fixed >= 0 && choice[i] != node.fixed)
      return fmt::format("node '{}': expected the fixed strategy {}, found {}", node.name, node.fixed, choice[i]);
  }
  return std::nullopt;
}

/// Sums of hundreds of terms in another order differ in the last bits.
bool isClose(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1e-12}); }
} // namespace

std::optional<std::string> verify(const Problem &problem, const Solution &solution) {
  if (auto why = verifyChoice(problem, solution.choice))
    return why;
  double cost = costOf(problem, solution.choice);
  if (!std::isfinite(cost))
    return "the choice is excluded: its cost is infinite";
  if (!isClose(cost, solution.cost))
    return fmt::format("expected a cost of {}, found {}", cost, solution.cost);
  int64_t peak = peakBytesOf(problem, solution.choice);
  if (peak != solution.peakBytes)
    return fmt::format("expected a peak of {} bytes, found {}", peak, solution.peakBytes);
  if (peak > problem.memoryLimit)
    return fmt::format("{} bytes are live at once, more than the limit of {}", peak, problem.memoryLimit);
  if (!(solution.bound >= 0 && solution.bound <= solution.cost))
    return fmt::format("expected a bound between 0 and the cost {}, found {}", solution.cost, solution.bound);
  return std::nullopt;
}

} // namespace froe

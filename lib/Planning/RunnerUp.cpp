#include "froe/Planning/RunnerUp.h"

#include "froe/Planning/Solve.h"

#include <cmath>
#include <map>

namespace froe {

namespace {
constexpr size_t kMostNodes = 32;
constexpr size_t kMostCells = 100'000; ///< of the edges' tables together: a few milliseconds
/// What very many read (a mask) is decided for all of them, not here.
constexpr size_t kMostUsers = 12;
} // namespace

/// A node and those that may be chosen anew with it.
struct RunnerUps::Around {
  std::vector<int> nodes;
  std::map<int, int> indices; ///< in `nodes`
};

RunnerUps::RunnerUps(const Problem &problem, const std::vector<int> &choice)
    : problem(problem), choice(choice), edgesOf(problem.nodes.size()) {
  for (size_t e = 0; e < problem.edges.size(); ++e) {
    edgesOf[problem.edges[e].from].push_back(static_cast<int>(e));
    edgesOf[problem.edges[e].to].push_back(static_cast<int>(e));
  }
}

RunnerUps::Around RunnerUps::around(int node) const {
  Around found{{node}, {{node, 0}}};
  size_t cells = 0;
  for (size_t next = 0; next < found.nodes.size() && found.nodes.size() < kMostNodes; ++next) {
    int current = found.nodes[next];
    if (next > 0 && edgesOf[current].size() > kMostUsers)
      continue;
    for (int e : edgesOf[current]) {
      const PlanEdge &edge = problem.edges[e];
      int other = edge.from == current ? edge.to : edge.from;
      if (found.indices.contains(other) || found.nodes.size() == kMostNodes)
        continue;
      cells += edge.cost.size();
      if (cells > kMostCells && found.nodes.size() > 1)
        return found;
      found.indices[other] = static_cast<int>(found.nodes.size());
      found.nodes.push_back(other);
    }
  }
  return found;
}

std::optional<OtherChoice> RunnerUps::solveAround(int node, const std::vector<bool> &allowed) const {
  Around region = around(node);
  Problem local;
  double before = 0;
  for (int i : region.nodes) {
    local.nodes.push_back({problem.nodes[i].name, problem.nodes[i].cost, {}, problem.nodes[i].fixed});
    before += problem.nodes[i].cost[choice[i]];
  }
  std::vector<double> &center = local.nodes[0].cost.edit();
  for (size_t s = 0; s < center.size(); ++s)
    if (!allowed[s])
      center[s] = std::numeric_limits<double>::infinity();
  for (int i : region.nodes)
    for (int e : edgesOf[i]) {
      const PlanEdge &edge = problem.edges[e];
      int columns = problem.nodes[edge.to].strategies();
      bool fromInside = region.indices.contains(edge.from), toInside = region.indices.contains(edge.to);
      if (fromInside && toInside && i != edge.from)
        continue; // met from its other end
      before += edge.cost[choice[edge.from] * columns + choice[edge.to]];
      if (fromInside && toInside) {
        local.edges.push_back({region.indices[edge.from], region.indices[edge.to], edge.cost});
        continue;
      }
      std::vector<double> &costs = local.nodes[region.indices[i]].cost.edit();
      for (int s = 0; s < static_cast<int>(costs.size()); ++s)
        costs[s] +=
            i == edge.from ? edge.cost[s * columns + choice[edge.to]] : edge.cost[choice[edge.from] * columns + s];
    }
  SolveOptions options;
  options.starts = 1;
  std::expected<Solution, NoPlan> solution = solve(local, options);
  if (!solution)
    return std::nullopt;
  OtherChoice other{solution->choice[0], solution->cost - before, choice};
  for (size_t i = 0; i < region.nodes.size(); ++i)
    other.choice[region.nodes[i]] = solution->choice[i];
  return other;
}

std::optional<OtherChoice> RunnerUps::find(int node) const {
  std::vector<bool> allowed(problem.nodes[node].strategies(), true);
  allowed[choice[node]] = false;
  return solveAround(node, allowed);
}

std::optional<OtherChoice> RunnerUps::force(int node, int strategy) const {
  std::vector<bool> allowed(problem.nodes[node].strategies(), false);
  allowed[strategy] = true;
  return solveAround(node, allowed);
}

} // namespace froe

#include "RandomProblem.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace froe::test {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int below(std::mt19937 &random, int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }

double randomCost(std::mt19937 &random, bool excludes) {
  return excludes && below(random, 6) == 0 ? kInfinity : below(random, 50) / 4.0;
}

PlanNode randomNode(std::mt19937 &random, int index, const ProblemSize &size) {
  PlanNode node{.name = "n" + std::to_string(index), .cost = {}, .uses = {}};
  int strategies = 1 + below(random, size.strategies);
  for (int s = 0; s < strategies; ++s)
    node.cost.edit().push_back(randomCost(random, size.excludes));
  if (size.excludes && below(random, 8) == 0)
    node.fixed = below(random, strategies);
  for (int u = below(random, 3); u > 0; --u) {
    MemoryUse &use = node.uses.emplace_back();
    use.live.begin = below(random, 8);
    use.live.end = use.live.begin + 1 + below(random, 4);
    for (int s = 0; s < strategies; ++s)
      use.bytes.edit().push_back(below(random, 20));
  }
  return node;
}

void addEdge(std::mt19937 &random, Problem &problem, int from, int to, const ProblemSize &size) {
  PlanEdge edge{from, to, {}};
  for (size_t i = 0; i < problem.nodes[from].cost.size() * problem.nodes[to].cost.size(); ++i)
    edge.cost.edit().push_back(randomCost(random, size.excludes));
  problem.edges.push_back(std::move(edge));
}

template <typename T> SharedTable<T> randomTable(std::mt19937 &random, int count, T unit) {
  std::vector<T> values;
  for (int i = 0; i < count; ++i)
    values.push_back(unit * T(below(random, 20)));
  return values;
}

void forEachChoice(const Problem &problem, const std::function<void(const std::vector<int> &)> &visit) {
  std::vector<int> choice(problem.nodes.size(), 0);
  for (size_t i = 0; i < choice.size();) {
    bool allowed = true;
    for (size_t k = 0; k < choice.size(); ++k)
      allowed &= problem.nodes[k].fixed < 0 || problem.nodes[k].fixed == choice[k];
    if (allowed && std::isfinite(costOf(problem, choice)))
      visit(choice);
    for (i = 0; i < choice.size() && ++choice[i] == problem.nodes[i].strategies(); ++i)
      choice[i] = 0;
  }
}
} // namespace

Problem randomProblem(std::mt19937 &random, const ProblemSize &size) {
  Problem problem;
  for (int i = 0; i < size.nodes; ++i)
    problem.nodes.push_back(randomNode(random, i, size));
  for (int i = 1; i < size.nodes; ++i)
    addEdge(random, problem, size.shape == Shape::Chain ? i - 1 : below(random, i), i, size);
  if (size.shape == Shape::Any)
    for (int extra = below(random, 2 * size.nodes); extra > 0; --extra) {
      int from = below(random, size.nodes), to = below(random, size.nodes);
      if (from != to)
        addEdge(random, problem, from, to, size);
    }
  if (!size.memory)
    return problem;
  std::optional<int64_t> least = leastPeak(problem);
  std::optional<Solution> cheapest = bruteForce(problem);
  if (cheapest)
    problem.memoryLimit = std::max<int64_t>(0, *least - 1 + (cheapest->peakBytes - *least + 4) * below(random, 8) / 8);
  return problem;
}

Problem repeatedProblem(std::mt19937 &random) {
  struct Kind {
    SharedTable<double> cost, entry;
    SharedTable<int64_t> weight, activation;
  };
  int size = 1 + below(random, 4), layers = 8 / size, strategies = 2 + below(random, 2);
  std::vector<Kind> kinds;
  for (int i = 0; i < size; ++i)
    kinds.push_back({randomTable(random, strategies, 0.25), randomTable(random, strategies * strategies, 0.25),
                     randomTable<int64_t>(random, strategies, 1), randomTable<int64_t>(random, strategies, 1)});
  SharedTable<double> skip = randomTable(random, strategies * strategies, 0.5);
  bool skips = size > 1 && below(random, 2) == 0;
  Problem problem;
  for (int node = 0; node < size * layers; ++node) {
    const Kind &kind = kinds[node % size];
    problem.nodes.push_back({"n" + std::to_string(node), kind.cost, {{{node, node + 2}, kind.activation}}});
    if (node % 2 == 0)
      problem.nodes.back().uses.push_back({{0, 20}, kind.weight});
    if (node > 0)
      problem.edges.push_back({node - 1, node, kind.entry});
    if (skips && node % size == 0 && node > 0)
      problem.edges.push_back({node - size, node, skip});
  }
  int64_t least = *leastPeak(problem), cheapest = bruteForce(problem)->peakBytes;
  problem.memoryLimit = std::max<int64_t>(0, least - 1 + (cheapest - least + 3) * below(random, 8) / 8);
  return problem;
}

std::optional<Solution> bruteForce(const Problem &problem) {
  std::optional<Solution> best;
  forEachChoice(problem, [&](const std::vector<int> &choice) {
    double cost = costOf(problem, choice);
    if (best && cost >= best->cost)
      return;
    int64_t peak = peakBytesOf(problem, choice);
    if (peak <= problem.memoryLimit)
      best = Solution{choice, cost, cost, peak};
  });
  return best;
}

std::optional<int64_t> leastPeak(const Problem &problem) {
  std::optional<int64_t> least;
  forEachChoice(problem, [&](const std::vector<int> &choice) {
    int64_t peak = peakBytesOf(problem, choice);
    least = std::min(least.value_or(peak), peak);
  });
  return least;
}

} // namespace froe::test

#include "froe/Planning/Solve.h"

#include "Assignment.h"
#include "BranchAndBound.h"
#include "Presolve.h"
#include "Prices.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kVisits = 200'000;

/// Bytes live at the fullest of all steps, not only at those where memory is short.
int64_t peakOf(const Problem &problem, const std::vector<int> &choice) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (size_t i = 0; i < choice.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses) {
      changes.emplace_back(use.live.begin, use.bytes[choice[i]]);
      changes.emplace_back(use.live.end, -use.bytes[choice[i]]);
    }
  // Negative changes come first at equal steps: what ends there is gone when the next begins.
  std::ranges::sort(changes);
  int64_t live = 0, peak = 0;
  for (auto [step, change] : changes)
    peak = std::max(peak, live += change);
  return peak;
}

class Solver {
public:
  Solver(const Model &model, const SolveOptions &options)
      : model(model), options(options), elimination(model), random(options.seed) {}

  /// Searches. True if the answer, a choice or none, is proven.
  bool run() {
    bound = tablesBound = elimination.run(pricedUnaries(model, std::vector<double>(model.slots, 0)));
    if (bound == kInfinity)
      return true;
    consider(elimination.decode());
    if (closed())
      return true;
    if (model.slots > 0)
      searchPrices();
    perturb();
    return closed() || branch();
  }

  std::vector<int> best;
  double bestCost = kInfinity;
  double bound = 0;

private:
  bool closed() const { return std::isfinite(bestCost) && bestCost - bound <= 1e-11 * bestCost; }

  /// Makes a choice fit and takes it if it is better.
  void consider(const std::vector<int> &labels) {
    Assignment assignment(model, labels);
    if (!std::isfinite(assignment.getCost()) || !repair(model, assignment, model.limit))
      return;
    improve(model, assignment);
    take(assignment.getLabels());
  }

  void take(const std::vector<int> &labels) {
    double cost = model.costOf(labels);
    if (cost < bestCost) {
      bestCost = cost;
      best = labels;
    }
  }

  void searchPrices() {
    constexpr double kWork = 1e9;
    if (best.empty())
      if (std::vector<int> smallest = smallestChoice(model, elimination); !smallest.empty())
        consider(smallest);
    int rounds = static_cast<int>(std::clamp(kWork / elimination.work(), 16.0, 100.0));
    Prices prices(model, elimination);
    bound = std::max(bound, prices.solve());
    for (int left = rounds; left > 0 && !closed();) {
      // Without a choice that fits, aim a little above the bound.
      double target = std::isfinite(bestCost) ? bestCost : 1.3 * prices.best() + 1e-12;
      if (!prices.ascend(target, left, [&](const std::vector<int> &labels) { consider(labels); }))
        break;
      bound = std::max(bound, prices.best());
    }
    mix(prices, rounds);
    // These tables guide the branching.
    tablesBound = prices.solve();
  }

  void mix(Prices &prices, int rounds) {
    const double scale = std::max(bound, 1e-12) / double(model.nodes.size());
    for (int round = 0; round < std::min(rounds, 3 * options.starts) && !closed(); ++round)
      consider(prices.decodeMixed(random, 1 + 0.02 * (round % 4), scale * std::pow(4.0, -round % 5)));
  }

  /// Changes a few labels of the best choice at random and improves again.
  void perturb() {
    constexpr int kKicksPerStart = 8;
    for (int i = 0; i < options.starts * kKicksPerStart && std::isfinite(bestCost) && !closed(); ++i) {
      std::vector<int> labels = best;
      for (int k = 0; k < 2 + i % 4; ++k) {
        size_t node = random() % labels.size();
        labels[node] = static_cast<int>(random() % model.nodes[node].labels());
      }
      consider(labels);
    }
  }

  bool branch() {
    BranchAndBound search(model, elimination, tablesBound);
    bool complete = search.run(bestCost, kVisits, [&](const std::vector<int> &labels, double) { take(labels); });
    if (complete)
      bound = bestCost;
    return complete;
  }

  const Model &model;
  const SolveOptions &options;
  Elimination elimination;
  std::mt19937_64 random;
  double tablesBound = 0; ///< belongs to the tables of the elimination's last run
};
Solution solutionOf(const Problem &problem, const Model &model, const std::vector<int> &labels, double bound,
                    bool proven) {
  Solution solution;
  solution.choice = model.strategiesOf(labels);
  solution.cost = model.costOf(labels);
  solution.bound = proven ? solution.cost : std::clamp(bound, 0.0, solution.cost);
  solution.peakBytes = peakOf(problem, solution.choice);
  return solution;
}

/// Why nothing was found: looks for the choice that needs least memory, without a limit.
std::expected<Solution, NoPlan> explain(const Problem &problem, bool proven) {
  NoPlan none{.reason = NoPlan::Reason::Conflict, .proven = true, .smallest = {}};
  Model model(problem);
  model.limit = Problem::kUnlimited;
  if (!presolve(model))
    return std::unexpected(none);
  Elimination elimination(model);
  if (elimination.run(pricedUnaries(model, std::vector<double>(model.slots, 0))) == kInfinity)
    return std::unexpected(none);
  none.proven = proven;
  std::vector<int> smallest = model.slots > 0 ? smallestChoice(model, elimination) : std::vector<int>();
  if (smallest.empty())
    return std::unexpected(none);
  none.reason = NoPlan::Reason::Memory;
  none.smallest = model.strategiesOf(smallest);
  none.smallestPeakBytes = peakOf(problem, none.smallest);
  if (none.smallestPeakBytes <= problem.memoryLimit)
    return solutionOf(problem, model, smallest, 0, false);
  return std::unexpected(none);
}
} // namespace

std::expected<Solution, NoPlan> solve(const Problem &problem, const SolveOptions &options) {
  Model model(problem);
  if (!presolve(model))
    return explain(problem, true);
  Solver solver(model, options);
  bool proven = solver.run();
  if (!std::isfinite(solver.bestCost))
    return explain(problem, proven);
  return solutionOf(problem, model, solver.best, solver.bound, proven);
}

} // namespace froe

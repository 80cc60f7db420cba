#include "froe/Planning/Solve.h"

#include "ExactSearch.h"
#include "Fold/FoldSearch.h"
#include "Presolve.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Solution solutionOf(const Problem &problem, std::vector<int> choice, double bound, double price) {
  Solution solution{.choice = std::move(choice), .price = price};
  solution.cost = costOf(problem, solution.choice);
  solution.peakBytes = peakBytesOf(problem, solution.choice);
  // Bounds are sums in another order.
  bool proven = solution.cost - bound <= 1e-11 * solution.cost;
  solution.bound = proven ? solution.cost : std::max(0.0, bound);
  return solution;
}

NoPlan noPlan(NoPlan::Reason reason, bool proven) { return {.reason = reason, .proven = proven, .smallest = {}}; }

class Solver {
public:
  Solver(const Problem &problem, const SolveOptions &options, fold::Tables &tables)
      : problem(problem), options(options), model(problem), folding(model, tables, options) {}

  std::expected<Solution, NoPlan> run() {
    if (!folding.run())
      return std::unexpected(noPlan(NoPlan::Reason::Conflict, true));
    bound = folding.bound;
    if (!folding.best.empty())
      choice = model.strategiesOf(folding.best);
    proven = folding.nothingFits();
    if (!folding.done() && !stopped() && options.starts > 0 && ExactSearch::suits(model))
      goOn();
    if (bound >= options.incumbent && bound < kInfinity)
      return std::unexpected(noPlan(NoPlan::Reason::NotBetter, true));
    if (choice.empty())
      return std::unexpected(stopped() ? noPlan(NoPlan::Reason::Cancelled, false) : nothing());
    return solutionOf(problem, std::move(choice), bound, folding.price);
  }

private:
  bool stopped() const { return options.cancelled && options.cancelled(); }

  /// Where folding leaves a gap.
  void goOn() {
    double known = choice.empty() ? kInfinity : costOf(problem, choice);
    Model smaller = model;
    if (!presolve(smaller)) {
      proven = true;
      return;
    }
    ExactSearch search(smaller, options, known, bound);
    proven = search.run();
    if (!search.best.empty())
      choice = smaller.strategiesOf(search.best);
    if (!proven || std::isfinite(search.bestCost))
      bound = proven ? search.bestCost : search.bound;
  }

  /// Why there is none: too little memory, unless there is none for any.
  NoPlan nothing() {
    std::vector<int> smallest = smallestStrategies();
    if (smallest.empty())
      return noPlan(NoPlan::Reason::Conflict, proven || bound == kInfinity);
    NoPlan none = noPlan(NoPlan::Reason::Memory, proven);
    none.smallestPeakBytes = peakBytesOf(problem, smallest);
    none.smallest = std::move(smallest);
    return none;
  }

  std::vector<int> smallestStrategies() {
    if (model.slots == 0 || bound == kInfinity)
      return {};
    if (!ExactSearch::suits(model))
      return model.strategiesOf(folding.smallest());
    Model free = model;
    free.limit = Problem::kUnlimited;
    if (!presolve(free))
      return {};
    Elimination elimination(free);
    return free.strategiesOf(smallestChoice(free, elimination, SlotGroups::single(free)));
  }

  const Problem &problem;
  const SolveOptions &options;
  Model model;
  fold::FoldSearch folding;
  std::vector<int> choice; ///< empty: none
  double bound = 0;
  bool proven = false;
};

bool hasEmptyNode(const Problem &problem) {
  return std::ranges::any_of(problem.nodes, [](const PlanNode &node) {
    auto allowed = [&](int s) { return (node.fixed < 0 || node.fixed == s) && std::isfinite(node.cost[s]); };
    for (int s = 0; s < node.strategies(); ++s)
      if (allowed(s))
        return false;
    return true;
  });
}
} // namespace

std::expected<Solution, NoPlan> solve(const Problem &problem, const SolveOptions &options) {
  if (problem.nodes.empty())
    return solutionOf(problem, {}, 0, 0);
  if (hasEmptyNode(problem))
    return std::unexpected(noPlan(NoPlan::Reason::Conflict, true));
  FoldCache own;
  return Solver(problem, options, (options.cache ? *options.cache : own).state().tables).run();
}

} // namespace froe

#include "froe/Planning/Solve.h"

#include "Answers.h"
#include "Capacity.h"
#include "ExactSearch.h"
#include "Fold/FoldSearch.h"
#include "Presolve.h"

#include "froe/Planning/Anytime.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A gap at which a problem of at most so many labels is worth a second more.
constexpr double kWideGap = 0.01, kAnytimeSeconds = 1;
constexpr size_t kFewLabels = 20'000;
/// Of problems with more nodes not even the tables of an elimination are made.
constexpr size_t kFewNodes = 1000;

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
  Solver(const Problem &problem, const Model &model, const SolveOptions &options, fold::Tables &tables)
      : problem(problem), options(options), tables(tables), model(model), fitting(model),
        mayFit(excludeByCapacity(fitting)), folding(mayFit ? fitting : model, tables, options) {}

  std::expected<Solution, NoPlan> run() {
    if (!mayFit || !folding.run()) {
      proven = true;
      return std::unexpected(nothing());
    }
    bound = folding.bound;
    if (!folding.best.empty())
      choice = model.strategiesOf(folding.best);
    proven = folding.nothingFits() || bound == kInfinity;
    if (!folding.done() && !stopped() && options.starts > 0) {
      if (isSmall())
        searchExactly();
      else if (costOfChoice() - bound > kWideGap * costOfChoice() && labelCount() <= kFewLabels)
        searchAnytime();
    }
    if (bound >= options.incumbent && bound < kInfinity)
      return std::unexpected(
          NoPlan{.reason = NoPlan::Reason::NotBetter, .proven = true, .smallest = {}, .price = folding.price});
    if (choice.empty())
      return std::unexpected(stopped() ? noPlan(NoPlan::Reason::Cancelled, false) : nothing());
    return solutionOf(problem, std::move(choice), bound, folding.price);
  }

private:
  bool isSmall() const { return model.nodes.size() <= kFewNodes && ExactSearch::suits(model); }
  bool stopped() const { return options.cancelled && options.cancelled(); }

  double costOfChoice() const { return choice.empty() ? kInfinity : costOf(problem, choice); }
  size_t labelCount() const {
    size_t count = 0;
    for (const Model::Node &node : model.nodes)
      count += node.cost.size();
    return count;
  }

  /// Few layers cannot share a tight limit evenly: what is left between bound and choice is not for prices to close.
  void searchAnytime() {
    std::expected<Solution, NoPlan> found =
        solveAnytime(problem, {.seed = options.seed, .seconds = kAnytimeSeconds, .cancelled = options.cancelled});
    if (!found)
      return;
    if (found->cost < costOfChoice())
      choice = found->choice;
    bound = std::max(bound, found->bound);
  }

  void searchExactly() {
    double known = costOfChoice();
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
      return noPlan(NoPlan::Reason::Conflict, proven);
    NoPlan none = noPlan(NoPlan::Reason::Memory, proven);
    none.smallestPeakBytes = peakBytesOf(problem, smallest);
    none.smallest = std::move(smallest);
    return none;
  }

  std::vector<int> smallestStrategies() {
    if (model.slots == 0)
      return {};
    if (labelCount() == model.nodes.size()) // nothing to choose
      return model.strategiesOf(std::vector<int>(model.nodes.size(), 0));
    if (!isSmall())
      return model.strategiesOf(fold::FoldSearch(model, tables, options).smallest());
    Model free = model;
    free.limit = Problem::kUnlimited;
    if (!presolve(free))
      return {};
    Elimination elimination(free);
    return free.strategiesOf(smallestChoice(free, elimination, SlotGroups::single(free)));
  }

  const Problem &problem;
  const SolveOptions &options;
  fold::Tables &tables;
  const Model &model;
  Model fitting; ///< less what cannot fit
  bool mayFit;
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

FoldCache::FoldCache() : impl(std::make_unique<State>()) {}
FoldCache::~FoldCache() = default;
FoldCache::FoldCache(FoldCache &&) noexcept = default;
FoldCache &FoldCache::operator=(FoldCache &&) noexcept = default;
int64_t FoldCache::products() const { return impl->tables.products(); }

std::expected<Solution, NoPlan> solve(const Problem &problem, const SolveOptions &options) {
  if (problem.nodes.empty())
    return solutionOf(problem, {}, 0, 0);
  if (hasEmptyNode(problem))
    return std::unexpected(noPlan(NoPlan::Reason::Conflict, true));
  FoldCache own;
  auto &[tables, answers] = (options.cache ? *options.cache : own).state();
  const Model model(problem);
  Answers::Question question;
  if (options.cache) {
    question = Answers::questionOf(model, tables, options);
    if (auto known = answers.find(question, model))
      return *known ? solutionOf(problem, (*known)->choice, (*known)->bound, (*known)->price) : *known;
  }
  auto answer = Solver(problem, model, options, tables).run();
  if (options.cache && !(options.cancelled && options.cancelled()))
    answers.keep(std::move(question), model, answer);
  return answer;
}

} // namespace froe

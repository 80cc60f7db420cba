#include "froe/Planning/Anytime.h"

#include "Branching.h"
#include "Primal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>

namespace froe {

namespace {
using Clock = std::chrono::steady_clock;

/// Matrix cells that each of the two searches looks at in a second of the time given: half of what a slow core does,
/// the two in turn.
constexpr double kCellsPerSecond = 4e8;
constexpr int64_t kFirstRound = 500'000, kLongestRound = 50'000'000;
/// The gap of more nodes is spread over so many of them that dividing the labels of a few hardly closes it.
constexpr int kMostNodesToBranch = 2000;
/// Where the work left is enough for fewer sets, branching would only overrun it.
constexpr int kFewestSets = 4;

class Search {
public:
  Search(const Core &core, const AnytimeOptions &options, Clock::time_point start)
      : core(core), options(options), start(start), dual(core), primal(core, options.seed) {}

  void run() {
    int64_t left = static_cast<int64_t>(options.seconds * kCellsPerSecond);
    int64_t round = kFirstRound;
    Advice advice{std::vector<double>(core.slots(), 0), std::vector<int>(core.size(), 0), 0};
    for (bool first = true; left > 0 && !proven() && !stopped(); first = false) {
      left -= runRound(round, advice, first);
      if (!fitting().empty())
        primal.offer(fitting());
      if (!branching)
        advice = {dual.bestPrices(), dual.decoding(), dual.bound()};
      if (!branching && worthBranching(left))
        branching.emplace(core, dual);
      round = std::min(round + round / 2, kLongestRound);
    }
  }

  double bound() const {
    return std::min(core.sureBound(branching ? branching->bound() : dual.bound()), primal.cost());
  }
  bool proven() const { return primal.found() && !core.isBelow(bound(), primal.cost()); }
  const std::vector<int> &best() const { return primal.best(); }

private:
  /// Both searches see what the other one had found before the round: the order in which they run does not matter.
  /// Returns the work of the longer one.
  int64_t runRound(int64_t work, const Advice &advice, bool first) {
    double known = primal.cost();
    auto raiseBound = [&] { return branching ? branching->run(work, known) : dual.run(work, known); };
    if (options.threads > 1 && work > 4 * kFirstRound) {
      std::future<int64_t> other = std::async(std::launch::async, raiseBound);
      primal.run(work, advice);
      return std::max(work, other.get());
    }
    if (!first) // there is no advice yet
      primal.run(work, advice);
    return std::max(work, raiseBound());
  }
  const std::vector<int> &fitting() const { return branching ? branching->fitting() : dual.fitting(); }

  bool worthBranching(int64_t left) const {
    return dual.isSpent() && primal.found() && core.size() <= kMostNodesToBranch &&
           Branching::mostWorkPerSet(dual) < left / kFewestSets;
  }

  bool stopped() const {
    return (options.cancelled && options.cancelled()) ||
           std::chrono::duration<double>(Clock::now() - start).count() + options.spentSeconds > 0.9 * options.seconds;
  }

  const Core &core;
  const AnytimeOptions &options;
  Clock::time_point start;
  Dual dual;
  std::optional<Branching> branching; ///< uses the dual once prices alone do no more
  Primal primal;
};

Solution solutionOf(const Problem &problem, std::vector<int> choice, double bound) {
  Solution solution{.choice = std::move(choice)};
  solution.cost = costOf(problem, solution.choice);
  solution.peakBytes = peakBytesOf(problem, solution.choice);
  solution.bound = std::clamp(bound, 0.0, solution.cost);
  return solution;
}
} // namespace

std::expected<Solution, NoPlan> solveAnytime(const Problem &problem, const AnytimeOptions &options) {
  Clock::time_point start = Clock::now();
  auto reduction = std::make_unique<Reduction>(problem);
  if (!reduction->run())
    return std::unexpected(NoPlan{.reason = NoPlan::Reason::Memory, .proven = true, .smallest = {}});
  Core core(*reduction);
  if (core.size() == 0)
    return solutionOf(problem, reduction->expand(std::vector<int>(problem.nodes.size(), 0)), core.offset);
  Search search(core, options, start);
  search.run();
  if (search.best().empty())
    return std::unexpected(NoPlan{.reason = NoPlan::Reason::Memory, .proven = false, .smallest = {}});
  std::vector<int> labels(problem.nodes.size(), 0);
  for (int i = 0; i < core.size(); ++i)
    labels[core.nodes[i].original] = search.best()[i];
  return solutionOf(problem, reduction->expand(std::move(labels)), core.offset + search.bound());
}

} // namespace froe

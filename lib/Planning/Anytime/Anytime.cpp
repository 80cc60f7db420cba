#include "froe/Planning/Anytime.h"

#include "Dual.h"
#include "Primal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

namespace froe {

namespace {
using Clock = std::chrono::steady_clock;

/// Matrix cells that each of the two searches looks at in a second of the time given: half of what a slow core does,
/// the two in turn.
constexpr double kCellsPerSecond = 4e8;
constexpr int64_t kFirstRound = 500'000, kLongestRound = 50'000'000;

class Search {
public:
  Search(const Core &core, const AnytimeOptions &options, Clock::time_point start)
      : core(core), options(options), start(start), dual(core), primal(core, options.seed) {}

  void run() {
    int64_t left = static_cast<int64_t>(options.seconds * kCellsPerSecond);
    int64_t round = kFirstRound;
    Advice advice{std::vector<double>(core.slots(), 0), std::vector<int>(core.size(), 0), 0};
    for (bool first = true; left > 0 && !proven() && !stopped(); first = false) {
      runRound(round, advice, first);
      if (!dual.fitting().empty())
        primal.offer(dual.fitting());
      advice = {dual.bestPrices(), dual.decoding(), dual.bound()};
      left -= round;
      round = std::min(round + round / 2, kLongestRound);
    }
  }

  /// On rounding: sums of many doubles are off in the last bits, so an integer bound is rounded up only from clearly
  /// above the integer before.
  double bound() const {
    double value = dual.bound() - 1e-11 * std::abs(dual.bound());
    if (core.integral)
      value = std::ceil(value - 1e-3);
    return std::min(value, primal.cost());
  }
  bool proven() const {
    return primal.found() && primal.cost() - bound() <= (core.integral ? 0 : 1e-9 * primal.cost());
  }
  const std::vector<int> &best() const { return primal.best(); }

private:
  /// Both searches see what the other one had found before the round: the order in which they run does not matter.
  void runRound(int64_t work, const Advice &advice, bool first) {
    double known = primal.cost();
    if (options.threads > 1 && work > 4 * kFirstRound) {
      std::future<int64_t> other = std::async(std::launch::async, [&] { return dual.run(work, known); });
      primal.run(work, advice);
      other.get();
      return;
    }
    if (!first) // there is no advice yet
      primal.run(work, advice);
    dual.run(work, known);
  }

  bool stopped() const {
    return (options.cancelled && options.cancelled()) ||
           std::chrono::duration<double>(Clock::now() - start).count() + options.spentSeconds > 0.9 * options.seconds;
  }

  const Core &core;
  const AnytimeOptions &options;
  Clock::time_point start;
  Dual dual;
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

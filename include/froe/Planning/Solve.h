#pragma once

#include "froe/Planning/Solution.h"

#include <functional>
#include <limits>
#include <memory>

namespace froe {

/// What solves of related problems remember for each other: the results of eliminating parts, by the content of their
/// tables. Problems that share tables (the segments of one program, one program under several memory limits) are solved
/// faster with a common cache and get the same answers. One thread at a time may use it.
class FoldCache {
public:
  FoldCache();
  ~FoldCache();
  FoldCache(FoldCache &&) noexcept;
  FoldCache &operator=(FoldCache &&) noexcept;

  /// Min-plus products of two matrices computed so far: what most of the time goes into.
  int64_t products() const;

  struct State;
  State &state() { return *impl; }

private:
  std::unique_ptr<State> impl;
};

struct SolveOptions {
  uint64_t seed = 0;
  /// How much a small problem is searched on where folding leaves a gap: starts from different choices. 0: not at all,
  /// for those who solve hundreds of problems and need the best of them.
  int starts = 8;
  /// A plan whose `gap()` is at most this is good enough; 0: go on until it is proven best, or effort runs out.
  double tolerance = 0;
  /// Seconds of a plan already known: the search ends with `NotBetter` as soon as no plan can cost less.
  double incumbent = std::numeric_limits<double>::infinity();
  /// Where to begin the search for the price of a byte, in seconds; `Solution::price` of a similar problem; 0: unknown.
  double price = 0;
  FoldCache *cache = nullptr;           ///< null: nothing is remembered
  std::function<bool()> cancelled = {}; ///< asked now and then; true ends the search with the best plan so far
};

/// The cheapest choice found that fits, with a lower bound for all of them. `problem.check()` must pass. Exact for
/// graphs that reduce to nothing by eliminating nodes with at most two neighbours (chains, trees, series-parallel
/// graphs) as long as memory does not bind; parts of the problem that repeat (that share tables, or have equal ones)
/// are worked on once. The same answer for the same problem and options, whatever the cache holds.
std::expected<Solution, NoPlan> solve(const Problem &problem, const SolveOptions &options = {});

/// A lower bound that costs next to nothing: the cheapest strategy of each node and pair of each edge, by themselves.
double lowerBound(const Problem &problem);

} // namespace froe

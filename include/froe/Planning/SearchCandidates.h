#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace froe {

/// What weighing one candidate (a mesh, or a number of stages on one) found out.
struct Weighed {
  double cost =
      std::numeric_limits<double>::infinity(); ///< of the best plan found; infinity: none, or none worth having
  double bound = 0;                            ///< no plan of this candidate costs less
};

struct CandidateSearch {
  /// A candidate that cannot be better by more than this part of the best cost is left.
  double tolerance = 0;
  /// Cost of a plan that is known already: only candidates that are better count.
  double incumbent = std::numeric_limits<double>::infinity();
  /// Candidates weighed at a time.
  int threads = 1;
  /// A candidate is tried against the best of all but the last so many before it, less one: more keep more threads
  /// busy, fewer spare more work.
  size_t batch = 8;
  /// The same for the first ones, which make the incumbent; it grows from there.
  size_t firstBatch = 8;
  std::function<bool()> cancelled = {};
};

struct BestCandidate {
  int index = -1; ///< -1: no candidate has a plan, or one better than the incumbent
  double cost = std::numeric_limits<double>::infinity();
  double bound = 0;    ///< no plan of any candidate costs less
  int64_t weighed = 0; ///< how many the bounds alone did not decide
};

/// The candidate with the cheapest plan. `bounds` are lower bounds that cost nothing, in the order in which candidates
/// are tried: likely ones first. `weigh(index, incumbent, best)` may end without a plan as soon as it knows that none
/// costs less than `incumbent`; `best` is the candidate that this comes from, or -1. It runs on several threads at
/// once.
///
/// Which candidates make a candidate's incumbent follows from their order alone, so that the answer does not depend on
/// the number of threads.
BestCandidate searchCandidates(std::span<const double> bounds,
                               const std::function<Weighed(int index, double incumbent, int best)> &weigh,
                               const CandidateSearch &options = {});

/// Calls `work` with each of 0 ... count - 1, on as many threads.
void onThreads(size_t count, int threads, const std::function<void(size_t index)> &work);

} // namespace froe

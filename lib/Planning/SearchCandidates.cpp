#include "froe/Planning/SearchCandidates.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace froe {

namespace {
/// Weighs each of a batch, on as many threads as there are.
std::vector<Weighed> weighAll(std::span<const int> batch, const std::function<Weighed(int, double, int)> &weigh,
                              double incumbent, int best, int threads) {
  std::vector<Weighed> results(batch.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < batch.size(); i = next++)
      results[i] = weigh(batch[i], incumbent, best);
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < std::min<int>(threads, static_cast<int>(batch.size())); ++t)
    others.emplace_back(work);
  work();
  others.clear(); // joins
  return results;
}
} // namespace

BestCandidate searchCandidates(std::span<const double> bounds, const std::function<Weighed(int, double, int)> &weigh,
                               const CandidateSearch &options) {
  BestCandidate best;
  best.bound = std::numeric_limits<double>::infinity();
  size_t next = 0;
  while (next < bounds.size()) {
    double worthwhile = best.cost * (1 - options.tolerance);
    bool cancelled = options.cancelled && options.cancelled();
    std::vector<int> batch;
    for (; next < bounds.size() && batch.size() < options.batch; ++next) {
      if (cancelled || bounds[next] >= worthwhile)
        best.bound = std::min(best.bound, bounds[next]);
      else
        batch.push_back(static_cast<int>(next));
    }
    std::vector<Weighed> results = weighAll(batch, weigh, worthwhile, best.index, options.threads);
    best.weighed += static_cast<int64_t>(batch.size());
    for (size_t i = 0; i < batch.size(); ++i) {
      best.bound = std::min(best.bound, std::max(results[i].bound, bounds[batch[i]]));
      if (results[i].cost < best.cost) {
        best.cost = results[i].cost;
        best.index = batch[i];
      }
    }
  }
  best.bound = std::min(best.bound, best.cost);
  return best;
}

} // namespace froe

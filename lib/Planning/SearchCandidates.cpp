#include "froe/Planning/SearchCandidates.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace froe {

void onThreads(size_t count, int threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  auto run = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::jthread> others;
  for (size_t t = 1; t < std::min(size_t(std::max(threads, 1)), count); ++t)
    others.emplace_back(run);
  run();
}

BestCandidate searchCandidates(std::span<const double> bounds, const std::function<Weighed(int, double, int)> &weigh,
                               const CandidateSearch &options) {
  BestCandidate best;
  best.bound = std::numeric_limits<double>::infinity();
  best.cost = options.incumbent;
  size_t next = 0, most = options.firstBatch;
  while (next < bounds.size()) {
    double worthwhile = best.cost * (1 - options.tolerance);
    bool cancelled = options.cancelled && options.cancelled();
    std::vector<int> batch;
    for (; next < bounds.size() && batch.size() < most; ++next) {
      if (cancelled || bounds[next] >= worthwhile)
        best.bound = std::min(best.bound, bounds[next]);
      else
        batch.push_back(static_cast<int>(next));
    }
    std::vector<Weighed> results(batch.size());
    onThreads(batch.size(), options.threads, [&](size_t i) { results[i] = weigh(batch[i], worthwhile, best.index); });
    best.weighed += static_cast<int64_t>(batch.size());
    for (size_t i = 0; i < batch.size(); ++i) {
      best.bound = std::min(best.bound, std::max(results[i].bound, bounds[batch[i]]));
      if (results[i].cost < best.cost) {
        best.cost = results[i].cost;
        best.index = batch[i];
      }
    }
    most = options.batch;
  }
  best.bound = std::min(best.bound, best.cost);
  return best;
}

} // namespace froe

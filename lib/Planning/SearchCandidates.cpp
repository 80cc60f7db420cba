#include "froe/Planning/SearchCandidates.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
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

namespace {
/// Hands out candidates in order. What one has to be better than comes from those handed out long enough before it, so
/// that it does not depend on which thread is how far.
class CandidateQueue {
public:
  CandidateQueue(std::span<const double> bounds, const CandidateSearch &options) : bounds(bounds), options(options) {
    best.bound = std::numeric_limits<double>::infinity();
    best.cost = options.incumbent;
  }

  struct Task {
    size_t number; ///< of those handed out
    int candidate;
    double incumbent;
    int best;
  };

  /// Waits for what has to be known.
  std::optional<Task> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return isDone(neededBefore(tasks.size())); });
    count(neededBefore(tasks.size()));
    double worthwhile = best.cost * (1 - options.tolerance);
    bool cancelled = options.cancelled && options.cancelled();
    for (; next < bounds.size(); ++next) {
      if (!cancelled && bounds[next] < worthwhile) {
        tasks.push_back({static_cast<int>(next), std::nullopt});
        return Task{tasks.size() - 1, static_cast<int>(next++), worthwhile, best.index};
      }
      best.bound = std::min(best.bound, bounds[next]);
    }
    return std::nullopt;
  }

  void give(const Task &task, const Weighed &result) {
    std::lock_guard lock(mutex);
    tasks[task.number].result = result;
    changed.notify_all();
  }

  BestCandidate finish() {
    count(tasks.size());
    best.weighed = static_cast<int64_t>(tasks.size());
    best.bound = std::min(best.bound, best.cost);
    return best;
  }

private:
  struct Known {
    int candidate;
    std::optional<Weighed> result;
  };

  /// How many of the first must be known before so many are followed by one more.
  size_t neededBefore(size_t taken) const {
    size_t atATime = std::min(options.batch, std::max(options.firstBatch, taken / 2));
    return taken < atATime ? 0 : taken - atATime + 1;
  }

  bool isDone(size_t first) const {
    return std::all_of(tasks.begin() + static_cast<ptrdiff_t>(counted), tasks.begin() + static_cast<ptrdiff_t>(first),
                       [](const Known &task) { return task.result.has_value(); });
  }

  /// Takes the first so many results into account.
  void count(size_t first) {
    for (; counted < first; ++counted) {
      const auto &[candidate, result] = tasks[counted];
      best.bound = std::min(best.bound, std::max(result->bound, bounds[candidate]));
      if (result->cost < best.cost) {
        best.cost = result->cost;
        best.index = candidate;
      }
    }
  }

  std::span<const double> bounds;
  const CandidateSearch &options;
  std::mutex mutex;
  std::condition_variable changed; ///< a result is there
  std::vector<Known> tasks;
  size_t next = 0, counted = 0;
  BestCandidate best;
};
} // namespace

BestCandidate searchCandidates(std::span<const double> bounds, const std::function<Weighed(int, double, int)> &weigh,
                               const CandidateSearch &options) {
  CandidateQueue queue(bounds, options);
  onThreads(size_t(std::max(options.threads, 1)), options.threads, [&](size_t) {
    while (std::optional<CandidateQueue::Task> task = queue.take())
      queue.give(*task, weigh(task->candidate, task->incumbent, task->best));
  });
  return queue.finish();
}

} // namespace froe

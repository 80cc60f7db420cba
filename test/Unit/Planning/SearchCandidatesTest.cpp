#include "froe/Planning/SearchCandidates.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <set>

namespace froe {
namespace {

/// Candidates with a known best cost each and a bound below it; bounds decide as soon as they can.
struct Known {
  std::vector<double> bounds, costs;

  explicit Known(unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 60; ++i) {
      costs.push_back(50 + double(random() % 1000));
      bounds.push_back(costs.back() * double(random() % 100) / 100);
    }
  }
  Weighed weigh(int index, double incumbent) const {
    if (costs[index] * 0.98 >= incumbent)
      return {.bound = costs[index] * 0.98};
    return {.cost = costs[index], .bound = costs[index] * 0.98};
  }
};

TEST(SearchCandidates, FindsTheCheapest) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Known known(seed);
    auto weigh = [&](int index, double incumbent, int) { return known.weigh(index, incumbent); };
    BestCandidate best = searchCandidates(known.bounds, weigh);
    double cheapest = *std::ranges::min_element(known.costs);
    EXPECT_EQ(best.cost, cheapest);
    EXPECT_EQ(known.costs[best.index], cheapest);
    EXPECT_LE(best.bound, cheapest);
    EXPECT_GE(best.bound, 0.98 * cheapest);
    EXPECT_LT(best.weighed, 60);
  }
}

TEST(SearchCandidates, ToleranceBoundsTheLoss) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Known known(seed);
    auto weigh = [&](int index, double incumbent, int) { return known.weigh(index, incumbent); };
    BestCandidate best = searchCandidates(known.bounds, weigh, {.tolerance = 0.1});
    double cheapest = *std::ranges::min_element(known.costs);
    EXPECT_LE(0.9 * best.cost, cheapest);
    EXPECT_LE(best.bound, cheapest);
    EXPECT_GE(best.bound, 0.88 * best.cost);
  }
}

TEST(SearchCandidates, ThreadsDoNotChangeTheAnswer) {
  Known known(3);
  std::set<std::pair<int, double>> asked[2];
  BestCandidate best[2];
  for (int t : {0, 1}) {
    std::mutex mutex;
    auto weigh = [&](int index, double incumbent, int) {
      std::lock_guard lock(mutex);
      asked[t].insert({index, incumbent});
      return known.weigh(index, incumbent);
    };
    best[t] = searchCandidates(known.bounds, weigh, {.tolerance = 0.01, .threads = t == 0 ? 1 : 3});
  }
  EXPECT_EQ(asked[0], asked[1]);
  EXPECT_EQ(best[0].index, best[1].index);
  EXPECT_EQ(best[0].bound, best[1].bound);
}

TEST(SearchCandidates, OnlyWhatBeatsTheIncumbentCounts) {
  Known known(4);
  auto weigh = [&](int index, double incumbent, int) { return known.weigh(index, incumbent); };
  double cheapest = *std::ranges::min_element(known.costs);
  BestCandidate best = searchCandidates(known.bounds, weigh, {.incumbent = cheapest + 1, .firstBatch = 1});
  EXPECT_EQ(best.cost, cheapest);
  EXPECT_EQ(known.costs[best.index], cheapest);
  BestCandidate none = searchCandidates(known.bounds, weigh, {.incumbent = 0.9 * cheapest});
  EXPECT_EQ(none.index, -1);
  EXPECT_EQ(none.bound, 0.9 * cheapest);
}

TEST(SearchCandidates, EveryIndexIsWorkedOnOnce) {
  for (int threads : {0, 1, 3}) {
    std::vector<int> times(20, 0);
    onThreads(times.size(), threads, [&](size_t i) { ++times[i]; });
    EXPECT_EQ(times, std::vector<int>(20, 1));
  }
  onThreads(0, 2, [](size_t) { FAIL(); });
}

TEST(SearchCandidates, NoPlanIsAnAnswer) {
  std::vector<double> bounds = {1, 2};
  BestCandidate best = searchCandidates(bounds, [](int, double, int) { return Weighed{.bound = 5}; });
  EXPECT_EQ(best.index, -1);
  EXPECT_EQ(best.bound, 5);
  EXPECT_EQ(searchCandidates({}, {}).index, -1);
}

TEST(SearchCandidates, CancelledKeepsTheBound) {
  Known known(1);
  int asked = 0;
  auto weigh = [&](int index, double incumbent, int) { return known.weigh(index, incumbent); };
  BestCandidate best = searchCandidates(known.bounds, weigh, {.cancelled = [&] { return asked++ > 0; }});
  EXPECT_EQ(best.weighed, 1);
  EXPECT_LE(best.bound, *std::ranges::min_element(known.costs));
  EXPECT_LE(best.bound, *std::min_element(known.bounds.begin() + 1, known.bounds.end()));
}

} // namespace
} // namespace froe

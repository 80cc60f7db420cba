#include "froe/Planning/ChainBound.h"

#include <gtest/gtest.h>
#include <random>

namespace froe {
namespace {

/// Three nodes in a row and a fourth that two of them depend on, with random costs.
ChainPart randomPart(std::mt19937 &random, int labels, bool entry, bool exit) {
  ChainPart part;
  auto numbers = [&](size_t count) {
    std::vector<double> costs(count);
    for (double &cost : costs)
      cost = random() % 20 == 0 ? std::numeric_limits<double>::infinity() : double(random() % 1000);
    return costs;
  };
  for (int node = 0; node < 4; ++node)
    part.problem.nodes.push_back({"", std::vector<double>(labels, 0), {}, -1});
  for (int node = entry; node < 4; ++node)
    for (double &cost : part.problem.nodes[node].cost.edit())
      cost = double(random() % 1000);
  for (auto [from, to] : {std::pair(0, 1), {1, 2}, {0, 3}, {3, 2}})
    part.problem.edges.push_back({from, to, numbers(size_t(labels) * labels)});
  part.entry = entry ? 0 : -1;
  part.exit = exit ? 2 : -1;
  return part;
}

/// The chain as one problem.
Problem joined(const ChainPart &front, const ChainPart &middle, int count, const ChainPart &back) {
  Problem whole = front.problem;
  int exit = front.exit;
  for (int i = 0; i <= count; ++i) {
    const ChainPart &part = i < count ? middle : back;
    std::vector<int> index;
    for (size_t node = 0; node < part.problem.nodes.size(); ++node) {
      index.push_back(static_cast<int>(node) == part.entry ? exit : static_cast<int>(whole.nodes.size()));
      if (static_cast<int>(node) != part.entry)
        whole.nodes.push_back(part.problem.nodes[node]);
    }
    for (const PlanEdge &edge : part.problem.edges)
      whole.edges.push_back({index[edge.from], index[edge.to], edge.cost});
    exit = part.exit >= 0 ? index[part.exit] : -1;
  }
  return whole;
}

TEST(ChainBound, IsTheOptimumOfAChain) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    int labels = 2 + static_cast<int>(random() % 5), count = static_cast<int>(random() % 30);
    ChainPart front = randomPart(random, labels, false, true), middle = randomPart(random, labels, true, true),
              back = randomPart(random, labels, true, false);
    std::expected<Solution, NoPlan> best = solve(joined(front, middle, count, back));
    FoldCache cache;
    double bound = chainBound(front, middle, count, back, cache);
    if (best)
      EXPECT_NEAR(bound, best->cost, 1e-9 * best->cost) << "round " << round << ", " << count << " parts";
    else
      EXPECT_EQ(bound, std::numeric_limits<double>::infinity()) << "round " << round;
  }
}

TEST(ChainBound, DepthCostsNothing) {
  std::mt19937 random(3);
  ChainPart front = randomPart(random, 6, false, true), middle = randomPart(random, 6, true, true),
            back = randomPart(random, 6, true, false);
  auto products = [&](int64_t count) {
    FoldCache cache;
    chainBound(front, middle, count, back, cache);
    return cache.products();
  };
  EXPECT_EQ(products(10), products(int64_t(1) << 40));
}

} // namespace
} // namespace froe

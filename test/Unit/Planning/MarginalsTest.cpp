#include "LayeredProblem.h"
#include "RandomProblem.h"
#include "lib/Planning/Fold/Fold.h"
#include "lib/Planning/Fold/ReducedCosts.h"

#include "froe/Planning/Solve.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace froe {
namespace {
using fold::Fold;
using fold::Marginals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The cheapest choice with `label` at `node`, copies of hubs agreeing.
double leastWith(const Problem &problem, int node, int label) {
  Problem forced = problem;
  forced.nodes[node].fixed = label;
  forced.memoryLimit = Problem::kUnlimited;
  std::optional<Solution> best = test::bruteForce(forced);
  return best ? best->cost : kInfinity;
}

TEST(Marginals, AreWhatALabelCostsMore) {
  std::mt19937 random(21);
  for (test::Shape shape : {test::Shape::Chain, test::Shape::Tree, test::Shape::Any})
    for (int i = 0; i < 40; ++i) {
      Problem problem = test::randomProblem(random, {7, 3, shape, false, i % 2 == 0});
      for (PlanNode &node : problem.nodes)
        node.fixed = -1;
      Model model(problem);
      if (std::ranges::any_of(model.nodes, [](const Model::Node &node) { return node.labels() == 0; }))
        continue;
      fold::Tables tables;
      Fold fold(model, tables);
      double bound = fold.run(SlotPrices());
      if (bound == kInfinity)
        continue;
      Marginals marginals = fold.marginals();
      for (int node = 0; node < 7; ++node)
        for (int label = 0; label < model.nodes[node].labels(); ++label) {
          double least = leastWith(problem, node, model.nodes[node].strategy[label]);
          double found = bound + marginals.of(node)[label];
          if (fold.hubs().empty() && std::isfinite(least))
            EXPECT_NEAR(found, least, 1e-9) << problem.str();
          else
            EXPECT_LE(found, least + 1e-9) << problem.str();
        }
    }
}

TEST(Marginals, OfLikeLayersAreAtMostWhatALabelCostsMore) {
  Problem problem = test::layeredProblem({.layers = 5, .layouts = 4, .mask = true, .tied = true});
  Model model(problem);
  fold::Tables tables;
  Fold fold(model, tables);
  double bound = fold.run(SlotPrices());
  Marginals marginals = fold.marginals();
  int tight = 0;
  for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node)
    for (int label = 0; label < model.nodes[node].labels(); ++label) {
      double least = Fold(model, tables).run(SlotPrices(), {{node, label, false}});
      EXPECT_LE(bound + marginals.of(node)[label], least * (1 + 1e-9));
      tight += bound + marginals.of(node)[label] > bound + 0.5 * (least - bound);
    }
  EXPECT_GT(tight, 100);
}

TEST(ReducedModel, KeepsAllChoicesThatAreCheapEnough) {
  std::mt19937 random(22);
  for (int i = 0; i < 60; ++i) {
    Problem problem = test::randomProblem(random, {7, 3, test::Shape::Any, true});
    std::optional<Solution> best = test::bruteForce(problem);
    if (!best)
      continue;
    Model model(problem);
    fold::Tables tables;
    Fold fold(model, tables);
    std::vector<double> prices;
    double total = 0;
    for (int slot = 0; slot < model.slots; ++slot)
      total += prices.emplace_back(0.01 * double(random() % 20));
    double bound = fold.run(SlotPrices(prices)) - total * double(model.limit);
    EXPECT_LE(bound, best->cost + 1e-9);
    fold::ReducedModel reduced(model, fold.marginals(), best->cost - bound + 1e-9);
    ASSERT_FALSE(reduced.empty) << problem.str();
    for (size_t node = 0; node < model.nodes.size(); ++node) {
      const std::vector<int> &kept = reduced.model.nodes[node].strategy;
      EXPECT_NE(std::ranges::find(kept, best->choice[node]), kept.end()) << problem.str();
    }
  }
}

} // namespace
} // namespace froe

#include "Prices.h"

#include "Assignment.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace froe {

Unaries pricedUnaries(const Model &model, const std::vector<double> &prices) {
  std::vector<double> sums(prices.size() + 1, 0);
  std::partial_sum(prices.begin(), prices.end(), sums.begin() + 1);
  Unaries unaries;
  for (const Model::Node &node : model.nodes) {
    unaries.push_back(node.cost);
    for (const Model::Use &use : node.uses) {
      double price = sums[use.end] - sums[use.begin];
      for (size_t label = 0; price > 0 && label < use.bytes.size(); ++label)
        unaries.back()[label] += price * double(use.bytes[label]);
    }
  }
  return unaries;
}

Prices::Prices(const Model &model, Elimination &elimination)
    : model(model), elimination(elimination), prices(model.slots, 0), bestPrices(prices), bound(0), bestBound(-1) {}

double Prices::solve() {
  bound = elimination.run(pricedUnaries(model, prices));
  for (double price : prices)
    bound -= price * double(model.limit);
  if (bound > bestBound) {
    bestBound = bound;
    bestPrices = prices;
  }
  return bound;
}

bool Prices::step(const std::vector<int> &labels, double target, double scale) {
  std::vector<int64_t> usage = model.usageOf(labels);
  double squares = 0;
  for (int t = 0; t < model.slots; ++t) {
    usage[t] -= model.limit;
    if (usage[t] < 0 && prices[t] == 0)
      usage[t] = 0;
    squares += double(usage[t]) * double(usage[t]);
  }
  if (squares == 0)
    return false;
  double length = scale * (target - bound) / squares;
  for (int t = 0; t < model.slots; ++t)
    prices[t] = std::max(0.0, prices[t] + length * double(usage[t]));
  return true;
}

namespace {
double costScale(const Model &model) {
  double total = 0;
  auto add = [&](double value) { total += std::isfinite(value) ? value : 0; };
  for (const Model::Node &node : model.nodes)
    std::ranges::for_each(node.cost, add);
  for (const Model::Edge &edge : model.edges)
    std::ranges::for_each(edge.cost, add);
  return total > 0 ? total : 1;
}
} // namespace

std::vector<int> smallestChoice(const Model &model, Elimination &elimination) {
  constexpr int kRounds = 12, kDescents = 50;
  // So dear that one part in a million of the bytes outweighs all costs.
  double price = 1e6 * costScale(model) / std::max(1.0, double(std::ranges::max(model.smallestUsage())));
  std::vector<double> weights(model.slots, 1.0 / model.slots);
  std::vector<int> best;
  int64_t bestPeak = std::numeric_limits<int64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> prices = weights;
    for (double &value : prices)
      value *= price;
    elimination.run(pricedUnaries(model, prices));
    Assignment found(model, elimination.decode());
    if (std::isfinite(found.getCost()) && (best.empty() || found.peak() < bestPeak)) {
      best = found.getLabels();
      bestPeak = found.peak();
    }
    std::vector<int64_t> usage = model.usageOf(found.getLabels());
    double sum = 0;
    for (int t = 0; t < model.slots; ++t)
      sum += weights[t] *= std::exp(4 * (double(usage[t]) / std::max(1.0, double(found.peak())) - 1));
    for (double &value : weights)
      value /= sum;
  }
  if (best.empty())
    return best;
  Assignment assignment(model, best);
  for (int i = 0; i < kDescents && repair(model, assignment, assignment.peak() - 1); ++i)
    best = assignment.getLabels();
  return best;
}

} // namespace froe

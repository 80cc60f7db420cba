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
    : model(model), elimination(elimination), bestPrices(model.slots, 0) {}

double Prices::solve() {
  return look(bestPrices, std::vector<double>(model.slots, 0), 0, [](const std::vector<int> &) {}).bound;
}

Prices::Point Prices::look(const std::vector<double> &from, const std::vector<double> &direction, double at,
                           const Visit &visit) {
  std::vector<double> prices = from;
  for (int t = 0; t < model.slots; ++t)
    prices[t] = std::max(0.0, from[t] + at * direction[t]);
  Point point{at, elimination.run(pricedUnaries(model, prices)), 0, {}};
  std::vector<int> labels = elimination.decode();
  visit(labels);
  std::vector<int64_t> usage = model.usageOf(labels);
  for (int t = 0; t < model.slots; ++t) {
    point.gradient.push_back(double(usage[t] - model.limit));
    point.bound -= prices[t] * double(model.limit);
    point.slope += prices[t] > 0 || direction[t] > 0 ? point.gradient[t] * direction[t] : 0;
  }
  if (point.bound > bestBound) {
    bestBound = point.bound;
    bestPrices = prices;
    bestGradient = point.gradient;
  }
  return point;
}

/// The aggregate where it leads up, else the gradient itself; without prices below zero.
std::vector<double> Prices::ascent() const {
  for (const std::vector<double> *candidate : {&aggregate, &bestGradient}) {
    std::vector<double> direction = *candidate;
    double slope = 0;
    for (size_t t = 0; t < direction.size(); ++t) {
      if (direction[t] < 0 && bestPrices[t] == 0)
        direction[t] = 0;
      slope += direction[t] * bestGradient[t];
    }
    if (slope > 0)
      return direction;
  }
  return {};
}

bool Prices::ascend(double target, int &solvesLeft, const Visit &visit) {
  constexpr double kGrowth = 3, kLeastGain = 1e-4;
  const std::vector<double> from = bestPrices, direction = ascent();
  if (direction.empty())
    return false;
  double slope = std::inner_product(direction.begin(), direction.end(), bestGradient.begin(), 0.0);
  Point low{0, bestBound, slope, bestGradient}, high = low;
  for (double at = (target - bestBound) / slope; high.slope > 0; at *= kGrowth) {
    low = high;
    if (solvesLeft-- <= 0)
      return true;
    high = look(from, direction, at, visit);
  }
  while (solvesLeft > 0 && low.slope > high.slope) {
    double at = (high.bound - low.bound + low.slope * low.at - high.slope * high.at) / (low.slope - high.slope);
    double ceiling = low.bound + low.slope * (at - low.at);
    if (ceiling - bestBound <= kLeastGain * (target - bestBound))
      break;
    --solvesLeft;
    Point middle = look(from, direction, at, visit);
    (middle.slope > 0 ? low : high) = std::move(middle);
  }
  double part = low.slope / (low.slope - high.slope);
  aggregate = low.gradient;
  for (int t = 0; t < model.slots; ++t)
    aggregate[t] += part * (high.gradient[t] - low.gradient[t]);
  return true;
}

std::vector<int> Prices::decodeMixed(std::mt19937_64 &random, double factor, double noise) {
  std::vector<double> scaled = bestPrices;
  for (double &price : scaled)
    price *= factor;
  Unaries unaries = pricedUnaries(model, scaled);
  for (std::vector<double> &costs : unaries)
    for (double &cost : costs)
      cost += noise * double(random() >> 11) * 0x1p-53; // not a std distribution: those differ between libraries
  elimination.run(unaries);
  return elimination.decode();
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
  // No choice needs less than the smallest labels together.
  const int64_t leastPeak = std::ranges::max(model.smallestUsage());
  // So dear that one part in a million of the bytes outweighs all costs.
  double price = 1e6 * costScale(model) / std::max(1.0, double(leastPeak));
  std::vector<double> weights(model.slots, 1.0 / model.slots);
  std::vector<int> best;
  int64_t bestPeak = std::numeric_limits<int64_t>::max();
  for (int round = 0; round < kRounds && bestPeak > leastPeak; ++round) {
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
  for (int i = 0; i < kDescents && assignment.peak() > leastPeak && repair(model, assignment, assignment.peak() - 1);
       ++i)
    best = assignment.getLabels();
  return best;
}

} // namespace froe

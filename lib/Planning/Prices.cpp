#include "Prices.h"

#include "Assignment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace froe {

Prices::Prices(const Model &model, Relaxation &relaxation, SlotGroups given)
    : model(model), relaxation(relaxation), groups(std::move(given)), bestPrices(groups.count(), 0) {}

double Prices::total() const { return std::accumulate(bestPrices.begin(), bestPrices.end(), 0.0); }

double Prices::solve() {
  return look(bestPrices, std::vector<double>(groups.count(), 0), 0, [](const std::vector<int> &) {}).bound;
}

std::vector<double> Prices::along(const std::vector<double> &from, const std::vector<double> &direction,
                                  double at) const {
  std::vector<double> prices = from;
  for (size_t g = 0; g < prices.size(); ++g)
    prices[g] = std::max(0.0, from[g] + at * direction[g]);
  return prices;
}

Prices::Point Prices::look(const std::vector<double> &from, const std::vector<double> &direction, double at,
                           const Visit &visit) {
  std::vector<double> prices = along(from, direction, at);
  Point point{at, relaxation.run(groups.slotPrices(prices)), 0, {}};
  std::vector<int> labels = relaxation.decode();
  visit(labels);
  point.gradient = groups.average(model.usageOf(labels));
  for (int g = 0; g < groups.count(); ++g) {
    point.gradient[g] -= double(model.limit);
    point.bound -= prices[g] * double(model.limit);
    point.slope += prices[g] > 0 || direction[g] > 0 ? point.gradient[g] * direction[g] : 0;
  }
  if (point.bound > bestBound || bestGradient.empty()) {
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
    for (size_t g = 0; g < direction.size(); ++g) {
      if (direction[g] < 0 && bestPrices[g] == 0)
        direction[g] = 0;
      slope += direction[g] * bestGradient[g];
    }
    if (slope > 0)
      return direction;
  }
  return {};
}

bool Prices::ascend(const Goal &goal, int &solvesLeft, const Visit &visit) {
  constexpr double kGrowth = 3;
  const std::vector<double> from = bestPrices, direction = ascent();
  if (direction.empty())
    return false;
  double slope = std::inner_product(direction.begin(), direction.end(), bestGradient.begin(), 0.0);
  Point below{0, bestBound, slope, bestGradient}, above = below;
  double first = (goal.target - bestBound) / slope, rise = std::accumulate(direction.begin(), direction.end(), 0.0);
  if (goal.firstStep > 0 && rise > 0)
    first = goal.firstStep / rise;
  for (double at = first; above.slope > 0; at *= kGrowth) {
    below = above;
    if (solvesLeft-- <= 0 || bestBound >= goal.enough)
      return true;
    above = look(from, direction, at, visit);
  }
  while (solvesLeft > 0 && below.slope > above.slope && bestBound < goal.enough) {
    double at =
        (above.bound - below.bound + below.slope * below.at - above.slope * above.at) / (below.slope - above.slope);
    double ceiling = below.bound + below.slope * (at - below.at);
    if (ceiling - bestBound <= goal.leastGain)
      break;
    --solvesLeft;
    Point middle = look(from, direction, at, visit);
    (middle.slope > 0 ? below : above) = std::move(middle);
  }
  high = groups.slotPrices(along(from, direction, above.at));
  double part = below.slope / (below.slope - above.slope);
  aggregate = below.gradient;
  for (int g = 0; g < groups.count(); ++g)
    aggregate[g] += part * (above.gradient[g] - below.gradient[g]);
  return true;
}

namespace {
double costScale(const Model &model) {
  double total = 0;
  std::map<const void *, double> known;
  auto add = [&](const SharedTable<double> &table) {
    auto [it, isNew] = known.try_emplace(table.identity(), 0);
    if (isNew)
      for (double value : table)
        it->second += std::isfinite(value) ? value : 0;
    total += it->second;
  };
  for (const Model::Node &node : model.nodes)
    add(node.cost);
  for (const Model::Edge &edge : model.edges)
    add(edge.cost);
  return total > 0 ? total : 1;
}

double fullest(const std::vector<int64_t> &usage) { return std::max<double>(1, std::ranges::max(usage)); }
} // namespace

std::vector<int> smallestChoice(const Model &model, Relaxation &relaxation, const SlotGroups &groups) {
  constexpr int kRounds = 12, kDescents = 50;
  // No choice needs less than the smallest labels together.
  const int64_t leastPeak = std::ranges::max(model.smallestUsage());
  // So dear that one part in a million of the bytes outweighs all costs.
  double price = 1e6 * costScale(model) / std::max(1.0, double(leastPeak));
  std::vector<double> weights(groups.count(), 1.0 / groups.count());
  std::vector<int> best;
  int64_t bestPeak = std::numeric_limits<int64_t>::max();
  for (int round = 0; round < kRounds && bestPeak > leastPeak; ++round) {
    std::vector<double> prices = weights;
    for (double &value : prices)
      value *= price;
    relaxation.run(groups.slotPrices(prices));
    Assignment found(model, relaxation.decode());
    if (std::isfinite(found.getCost()) && (best.empty() || found.peak() < bestPeak)) {
      best = found.getLabels();
      bestPeak = found.peak();
    }
    std::vector<int64_t> usage = model.usageOf(found.getLabels());
    std::vector<double> average = groups.average(usage);
    double sum = 0;
    for (int g = 0; g < groups.count(); ++g)
      sum += weights[g] *= std::exp(4 * (average[g] / fullest(usage) - 1));
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

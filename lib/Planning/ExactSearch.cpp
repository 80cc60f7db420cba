#include "ExactSearch.h"

#include "Assignment.h"
#include "BranchAndBound.h"
#include "Prices.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kVisits = 200'000;
constexpr size_t kMaxPairs = 100'000;
constexpr double kMaxWork = 2e7; ///< of one elimination: a hundred of them take a second or two
} // namespace

ExactSearch::ExactSearch(const Model &model, const SolveOptions &options, double knownCost, double knownBound)
    : bestCost(knownCost), bound(knownBound), model(model), options(options), elimination(model), random(options.seed) {
}

bool ExactSearch::suits(const Model &model) {
  size_t pairs = 0;
  for (const Model::Edge &edge : model.edges)
    pairs += edge.cost.size();
  return pairs <= kMaxPairs && Elimination(model).work() <= kMaxWork;
}

bool ExactSearch::run() {
  tablesBound = elimination.run(std::vector<double>(model.slots, 0));
  if (tablesBound == kInfinity)
    return true;
  bound = std::max(bound, std::min(bestCost, tablesBound));
  consider(elimination.decode());
  if (closed())
    return true;
  if (model.slots > 0)
    searchPrices();
  perturb();
  return closed() || branch();
}

bool ExactSearch::closed() const {
  return std::isfinite(bestCost) && bestCost - bound <= std::max(1e-11, options.tolerance) * bestCost;
}

/// Makes a choice fit and takes it if it is better.
void ExactSearch::consider(const std::vector<int> &labels) {
  Assignment assignment(model, labels);
  if (!std::isfinite(assignment.getCost()) || !repair(model, assignment, model.limit))
    return;
  improve(model, assignment);
  take(assignment.getLabels());
}

void ExactSearch::take(const std::vector<int> &labels) {
  double cost = model.costOf(labels);
  if (cost < bestCost) {
    bestCost = cost;
    best = labels;
  }
}

void ExactSearch::searchPrices() {
  constexpr double kWork = 1e9;
  if (bestCost == kInfinity)
    if (std::vector<int> smallest = smallestChoice(model, elimination, SlotGroups::single(model)); !smallest.empty())
      consider(smallest);
  int rounds = static_cast<int>(std::clamp(kWork / elimination.work(), 16.0, 100.0));
  Prices prices(model, elimination, SlotGroups::single(model));
  bound = std::max(bound, prices.solve());
  for (int left = rounds; left > 0 && !closed() && !stopped();) {
    // Without a choice that fits, aim a little above the bound.
    double target = std::isfinite(bestCost) ? bestCost : 1.3 * prices.best() + 1e-12;
    Prices::Goal goal{target, 1e-4 * (target - prices.best()), kInfinity, 0};
    if (!prices.ascend(goal, left, [&](const std::vector<int> &labels) { consider(labels); }))
      break;
    bound = std::max(bound, prices.best());
  }
  mix(prices, rounds);
  // These tables guide the branching.
  tablesBound = prices.solve();
}

/// The choice at `factor` times the best prices, each label's cost changed at random by up to `noise`: equal layers,
/// which no price can tell apart, then choose differently.
std::vector<int> ExactSearch::decodeMixed(const Prices &prices, double factor, double noise) {
  std::vector<double> scaled = prices.slotPrices();
  for (double &price : scaled)
    price *= factor;
  Unaries unaries = pricedUnaries(model, scaled);
  for (std::vector<double> &costs : unaries)
    for (double &cost : costs)
      cost += noise * double(random() >> 11) * 0x1p-53; // not a std distribution: those differ between libraries
  elimination.run(unaries);
  return elimination.decode();
}

void ExactSearch::mix(const Prices &prices, int rounds) {
  const double scale = std::max(bound, 1e-12) / double(model.nodes.size());
  for (int round = 0; round < std::min(rounds, 3 * options.starts) && !closed() && !stopped(); ++round)
    consider(decodeMixed(prices, 1 + 0.02 * (round % 4), scale * std::pow(4.0, -round % 5)));
}

/// Changes a few labels of the best choice at random and improves again.
void ExactSearch::perturb() {
  constexpr int kKicksPerStart = 8;
  for (int i = 0; i < options.starts * kKicksPerStart && !best.empty() && !closed() && !stopped(); ++i) {
    std::vector<int> labels = best;
    for (int k = 0; k < 2 + i % 4; ++k) {
      size_t node = random() % labels.size();
      labels[node] = static_cast<int>(random() % model.nodes[node].labels());
    }
    consider(labels);
  }
}

bool ExactSearch::branch() {
  BranchAndBound search(model, elimination, tablesBound);
  bool complete =
      !stopped() && search.run(bestCost, kVisits, [&](const std::vector<int> &labels, double) { take(labels); });
  if (complete)
    bound = bestCost;
  return complete;
}

} // namespace froe

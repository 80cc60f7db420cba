#include "FoldSearch.h"

#include "../Assignment.h"
#include "HubBranching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace froe::fold {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Costs are sums in different orders: what differs by less is equal.
constexpr double kRounding = 1e-11;
constexpr int kMostSolves = 60, kMostMixes = 60;
/// Numbers that branching on hubs may compute, and the most runs.
constexpr double kHubWork = 2e9;
constexpr int kMostHubRuns = 100;

/// Sum of the largest finite costs.
double costCeiling(const Model &model) {
  std::map<const void *, double> known;
  auto largest = [&](const SharedTable<double> &table) {
    auto [it, isNew] = known.try_emplace(table.identity(), 0);
    if (isNew)
      for (double value : table)
        it->second = std::max(it->second, std::isfinite(value) ? value : 0);
    return it->second;
  };
  double total = 0;
  for (const Model::Node &node : model.nodes)
    total += largest(node.cost);
  for (const Model::Edge &edge : model.edges)
    total += largest(edge.cost);
  return total;
}
} // namespace

FoldSearch::FoldSearch(const Model &model, Tables &tables, const SolveOptions &options)
    : bestCost(kInfinity), model(model), options(options), fold(model, tables), groups(SlotGroups::alike(model)),
      ceiling(costCeiling(model)) {}

bool FoldSearch::done() const {
  return notBetter() || proven ||
         (std::isfinite(bestCost) && bestCost - bound <= std::max(options.tolerance, kRounding) * bestCost);
}

double FoldSearch::run(const std::vector<double> &slotPrices) { return fold.run(SlotPrices(slotPrices), hubLabels); }

bool FoldSearch::consider(const std::vector<int> &labels) {
  if (labels.empty() ||
      !std::ranges::all_of(model.usageOf(labels), [&](int64_t bytes) { return bytes <= model.limit; }))
    return false;
  if (double cost = model.costOf(labels); cost < bestCost) {
    bestCost = cost;
    best = labels;
  }
  return true;
}

bool FoldSearch::run() {
  settleHubs(std::vector<double>(model.slots, 0));
  if (bound == kInfinity)
    return false;
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds && model.slots > 0 && !done() && !stopped(); ++round) {
    std::vector<Restriction> before = hubLabels;
    searchPrices();
    if (hubLabels == before)
      break;
  }
  if (!best.empty() && !done())
    polish();
  return true;
}

std::vector<int> FoldSearch::smallest() {
  if (hubLabels.empty() && !fold.hubs().empty())
    settleHubs(std::vector<double>(model.slots, 0));
  return smallestChoice(model, *this, groups);
}

/// Finds the labels of hubs that are best at these prices, and the bound.
void FoldSearch::settleHubs(const std::vector<double> &slotPrices) {
  SlotPrices prices(slotPrices);
  double paid = prices.total() * double(model.limit),
         enough = std::min(options.incumbent, bestCost * (1 - options.tolerance)) + paid;
  int runs = static_cast<int>(std::clamp(kHubWork / fold.work(), 2.0, double(kMostHubRuns)));
  HubBranching hubs(fold, prices, options.tolerance / 2, enough, runs);
  bound = std::max(bound, hubs.run([&](const std::vector<int> &labels) { consider(labels); }) - paid);
  hubLabels = hubs.best();
  proven = bound > ceiling * (1 + kRounding);
}

void FoldSearch::searchPrices() {
  constexpr int kDivisions = 4;
  std::vector<double> found;
  for (int division = 0; division <= kDivisions && !done() && !stopped(); ++division) {
    Prices prices(model, *this, groups);
    prices.solve();
    climb(prices);
    found = prices.slotPrices();
    price = prices.total();
    run(found);
    if (done() || !groups.divide(model.usageOf(decode()), model.limit))
      break;
  }
  if (!done() && !found.empty())
    repairAt(found);
  if (!done() && !found.empty())
    settleHubs(found);
  if (best.empty() && !done() && !stopped())
    consider(smallest());
}

void FoldSearch::climb(Prices &prices) {
  int left = kMostSolves;
  while (left > 0 && !done() && !stopped()) {
    bool found = std::isfinite(bestCost);
    Prices::Goal goal{found ? bestCost : 1.3 * prices.best() + 1e-12, 0, std::min(options.incumbent, ceiling), 0};
    goal.leastGain = std::max(1e-3 * (goal.target - prices.best()), 0.2 * options.tolerance * goal.target);
    if (prices.total() == 0)
      goal.firstStep = price > 0 ? price : options.price;
    double before = prices.best();
    if (!prices.ascend(goal, left, [&](const std::vector<int> &labels) { consider(labels); }))
      break;
    double known = bestCost, gained = prices.best() - before;
    if (hubLabels.empty())
      bound = std::max(bound, prices.best());
    proven = bound > ceiling * (1 + kRounding);
    std::vector<double> high = prices.highPrices();
    if (!done() && !high.empty() && raise(high))
      for (bool forwards : {true, false})
        mix(SlotPrices(prices.lowPrices()), SlotPrices(high), forwards);
    if (gained < goal.leastGain && known - bestCost < goal.leastGain)
      break;
  }
}

/// Raises prices where the limit is broken until the choice fits. False if that takes too long.
bool FoldSearch::raise(std::vector<double> &slotPrices) {
  constexpr int kRounds = 16;
  double step = 0.02 * std::accumulate(slotPrices.begin(), slotPrices.end(), 0.0);
  for (int round = 0; round < kRounds && !stopped(); ++round, step *= 1.5) {
    run(slotPrices);
    std::vector<int> labels = decode();
    if (consider(labels))
      return true;
    std::vector<int64_t> usage = model.usageOf(labels);
    int group = groups.groupOf[std::ranges::max_element(usage) - usage.begin()];
    for (int t = 0; t < model.slots; ++t)
      if (groups.groupOf[t] == group)
        slotPrices[t] += step / groups.sizes[group];
  }
  return false;
}

/// Equal layers all answer a price alike, so that one price for all either breaks the limit or wastes memory. Here all
/// nodes begin with the high price, and as many as the limit allows get the low one: half of them, of those left a
/// quarter, and so on.
void FoldSearch::mix(const SlotPrices &low, const SlotPrices &high, bool forwards) {
  struct Part {
    int begin, end;
  };
  Pricing pricing(high);
  pricing.levels.push_back(low);
  int count = static_cast<int>(model.nodes.size());
  pricing.levelOf.assign(count, 0);
  std::vector<Part> parts = {{0, count}};
  for (int runs = 0; !parts.empty() && parts[0].end - parts[0].begin > 1;) {
    std::vector<Part> left;
    for (Part part : parts) {
      int middle = (part.begin + part.end) / 2;
      Part halves[] = {{part.begin, middle}, {middle, part.end}};
      if (!forwards)
        std::swap(halves[0], halves[1]);
      for (Part half : halves) {
        if (done() || stopped() || ++runs > kMostMixes)
          return;
        std::fill(pricing.levelOf.begin() + half.begin, pricing.levelOf.begin() + half.end, 1);
        fold.run(pricing, hubLabels);
        if (consider(fold.decode()))
          continue;
        std::fill(pricing.levelOf.begin() + half.begin, pricing.levelOf.begin() + half.end, 0);
        left.push_back(half);
      }
    }
    parts = std::move(left);
  }
}

/// Makes the choice at these prices fit label by label; too slow for large models, where `mix` does as well.
void FoldSearch::repairAt(const std::vector<double> &slotPrices) {
  constexpr size_t kMostLabels = 20'000;
  size_t count = 0;
  for (const Model::Node &node : model.nodes)
    count += node.cost.size();
  run(slotPrices);
  Assignment assignment(model, decode());
  if (count > kMostLabels || !std::isfinite(assignment.getCost()) || !repair(model, assignment, model.limit))
    return;
  improve(model, assignment);
  consider(assignment.getLabels());
}

void FoldSearch::polish() {
  Assignment assignment(model, best);
  improve(model, assignment);
  consider(assignment.getLabels());
}

} // namespace froe::fold

#include "FoldSearch.h"

#include "../Assignment.h"
#include "HubBranching.h"
#include "ReducedCosts.h"

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
/// A reduced model is worth it with at most this part of the labels.
constexpr double kWorthwhile = 0.7;
constexpr int kMostLevels = 2;
/// Where the second line of prices is first looked at, as a part of the best prices.
constexpr double kNearby = 0.1;
/// Numbers that branching on hubs may compute, and the most runs.
constexpr double kHubWork = 2e9;
constexpr int kMostHubRuns = 100;

/// Sum of the largest finite costs.
double costCeiling(const Model &model) {
  std::unordered_map<const void *, double> known;
  auto largest = [&](const SharedTable<double> &table) {
    auto [it, isNew] = known.try_emplace(table.identity(), 0);
    if (isNew)
      it->second = largestFiniteOf(table.get().data(), table.size());
    return it->second;
  };
  double total = 0;
  for (const Model::Node &node : model.nodes)
    total += largest(node.cost);
  for (const Model::Edge &edge : model.edges)
    total += largest(edge.cost);
  return total;
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double &value : values)
    value *= factor;
  return values;
}
} // namespace

FoldSearch::FoldSearch(const Model &model, Tables &tables, const SolveOptions &options, int level)
    : bestCost(kInfinity), model(model), options(options), tables(tables), fold(model, tables),
      groups(SlotGroups::alike(model)), level(level), bestPrices(model.slots, 0), mixPrices(bestPrices),
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
  if (level == 0 && options.price > 0 && std::isfinite(options.incumbent) && model.slots > 0)
    tryPrice(options.price);
  if (notBetter())
    return true;
  settleHubs(bestPrices);
  if (bound == kInfinity)
    return false;
  if (model.slots > 0 && !over())
    search();
  if (!best.empty() && !done())
    polish();
  return true;
}

/// Where a similar problem had its best bound, one run may show that there is nothing better.
void FoldSearch::tryPrice(double total) {
  SlotPrices prices(std::vector<double>(model.slots, total / model.slots));
  bound = std::max(bound, fold.run(prices) - prices.total() * double(model.limit));
  price = total;
}

void FoldSearch::search() {
  searchPrices();
  bool reduced = false;
  if (level == 0)
    reduceByGuesses();
  if (!over() && (level == 1 || best.empty()))
    mixAll();
  if (!over() && level > 0 && level < kMostLevels && !best.empty())
    reduced = reduceTo(std::min(options.incumbent, bestCost * (1 - options.tolerance / 2)));
  if (!over() && level > 0 && !reduced)
    repairAt(bestPrices);
  if (!over())
    settleHubs(bestPrices);
  if (!over() && level == 0 && best.empty())
    consider(smallest());
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

/// Prices at which the bound is best, copies of hubs not having to agree.
void FoldSearch::searchPrices() {
  constexpr int kDivisions = 4;
  hubLabels.clear();
  double bestPriced = -1;
  for (int division = 0; division <= kDivisions && !over(); ++division) {
    Prices prices(model, *this, groups);
    prices.solve();
    climb(prices);
    if (prices.best() > bestPriced) {
      bestPriced = prices.best();
      bestPrices = prices.slotPrices();
      price = prices.total();
      mixPrices = price > 0 || prices.highPrices().empty() ? bestPrices : prices.highPrices();
    }
    run(prices.slotPrices());
    if (done() || !groups.divide(model.usageOf(decode()), model.limit))
      break;
  }
}

void FoldSearch::climb(Prices &prices) {
  for (int left = kMostSolves; left > 0 && !over();) {
    Prices::Goal goal{std::min(known(), 1.3 * prices.best() + 1e-12), 0, std::min(options.incumbent, ceiling), 0};
    // Runs of a reduced model cost next to nothing.
    goal.leastGain = level > 0 ? 1e-4 * prices.best()
                               : std::max(1e-3 * (goal.target - prices.best()), 0.2 * options.tolerance * goal.target);
    goal.firstStep = prices.total() > 0 ? kNearby * prices.total() : price > 0 ? price : options.price;
    double before = prices.best();
    if (!prices.ascend(goal, left, [&](const std::vector<int> &labels) { consider(labels); }))
      break;
    bound = std::max(bound, prices.best());
    proven = bound > ceiling * (1 + kRounding);
    if (prices.best() - before < goal.leastGain)
      break;
  }
}

/// Reduces the model before a good choice is known, as if there were one that costs little more than the bound.
void FoldSearch::reduceByGuesses() {
  for (double above : {0.02, 0.06, 0.2}) {
    if (over())
      return;
    double cutoff = std::min(known(), bound * (1 + above));
    reduceTo(cutoff);
    if (known() <= cutoff)
      return;
  }
}

/// Goes on without the labels that make a choice cost more than `cutoff`. False if those are too few to matter.
bool FoldSearch::reduceTo(double cutoff) {
  SlotPrices prices(bestPrices);
  double paid = prices.total() * double(model.limit), value = fold.run(prices) - paid;
  ReducedModel smaller(model, fold.marginals(), cutoff - value + kRounding * cutoff);
  if (smaller.empty) {
    bound = std::max(bound, cutoff);
    return true;
  }
  if (double(smaller.after) > kWorthwhile * double(smaller.before))
    return false;
  SolveOptions inner = options;
  inner.incumbent = cutoff;
  inner.price = price;
  FoldSearch search(smaller.model, tables, inner, level + 1);
  if (!search.run()) {
    bound = std::max(bound, cutoff);
    return true;
  }
  if (!search.best.empty())
    consider(smaller.labelsBefore(search.best));
  bound = std::max(bound, std::min(search.bound, cutoff));
  return true;
}

/// P10. Equal layers all answer a price alike: one price for all either breaks the limit or wastes memory. So as many
/// nodes as the limit allows are held at what is fast, found at a low price, and the others answer a high one. Goes on
/// to other prices as long as that helps.
void FoldSearch::mixAll() {
  hubLabels.clear();
  std::vector<std::vector<int>> tried;
  for (double low : {0.98, 0.8, 0.0}) {
    if (over())
      return;
    run(times(mixPrices, low));
    std::vector<int> fast = decode();
    if (consider(fast) || std::ranges::find(tried, fast) != tried.end())
      continue;
    tried.push_back(fast);
    double costBefore = bestCost;
    for (double high : {1.02, 1.2, 2.0}) {
      std::vector<double> raised = times(mixPrices, high);
      double before = bestCost;
      if (!over() && raise(raised))
        for (bool forwards : {true, false})
          mix(fast, SlotPrices(raised), forwards);
      if (high > 1.1 && !helped(before))
        break;
    }
    if (!helped(costBefore))
      break;
  }
}

/// Raises prices where the limit is broken until the choice fits. False if that takes too long.
bool FoldSearch::raise(std::vector<double> &slotPrices) {
  constexpr int kRounds = 16;
  double step = 0.02 * std::accumulate(slotPrices.begin(), slotPrices.end(), 0.0);
  for (int round = 0; round < kRounds && !over(); ++round, step *= 1.5) {
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

/// Holds half of the nodes at `fast`, of those left a quarter, and so on, as long as a choice of the others fits.
void FoldSearch::mix(const std::vector<int> &fast, const SlotPrices &prices, bool forwards) {
  struct Part {
    int begin, end;
  };
  std::vector<Restriction> held;
  std::vector<Part> parts = {{0, static_cast<int>(model.nodes.size())}};
  for (int runs = 0; !parts.empty() && parts[0].end - parts[0].begin > 1;) {
    std::vector<Part> left;
    for (Part part : parts) {
      int middle = (part.begin + part.end) / 2;
      Part halves[] = {{part.begin, middle}, {middle, part.end}};
      if (!forwards)
        std::swap(halves[0], halves[1]);
      for (Part half : halves) {
        if (over() || ++runs > kMostMixes)
          return;
        size_t before = held.size();
        for (int node = half.begin; node < half.end; ++node)
          held.push_back({node, fast[node], false});
        if (fold.run(prices, held) < kInfinity && consider(fold.decode()))
          continue;
        held.resize(before);
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

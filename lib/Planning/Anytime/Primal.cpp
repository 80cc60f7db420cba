#include "Primal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace froe {

namespace {
constexpr int kLargestBlock = 10; ///< as a power of two
constexpr int kPriceRaises = 12;
constexpr int64_t kFirstCycle = 100'000'000, kCyclePerLabel = 8'000;
constexpr double kCycleGrowth = 1.2;
} // namespace

Primal::Primal(const Core &core, uint64_t seed)
    : core(core), forest(core), random(seed), sums(core.slots() + 1, 0),
      cycleLength(kFirstCycle + kCyclePerLabel * core.allLabels) {}

void Primal::setLabels(std::vector<int> given) {
  labels = std::move(given);
  labelsCost = core.costOf(labels);
  usage = core.usageOf(labels);
  feasible = labelsCost < core.excluded && core.fits(usage);
  keepBest();
}

void Primal::keepBest() {
  if (feasible && labelsCost < bestCost) {
    bestCost = labelsCost;
    bestLabels = labels;
  }
}

void Primal::offer(const std::vector<int> &given) {
  if (double cost = core.costOf(given); cost < bestCost) {
    bestCost = cost;
    bestLabels = given;
  }
}

int64_t Primal::run(int64_t budget, const Advice &advice) {
  work = 0;
  while (work < budget) {
    if (!feasible || cycleWork >= cycleLength)
      beginCycle(advice);
    if (!feasible)
      continue;
    int64_t before = work;
    move();
    cycleWork += work - before;
  }
  return work;
}

void Primal::beginCycle(const Advice &advice) {
  if (cycles > 0 && found())
    cycleLength = static_cast<int64_t>(double(cycleLength) * kCycleGrowth);
  cycleWork = 0;
  std::vector<double> prices = advice.prices;
  sums = prefixSums(prices);
  bool fromBest = cycles % 3 == 2 && found();
  if (fromBest) {
    setLabels(bestLabels);
  } else {
    double factor = cycles % 3 == 0 ? 1 : 0.95 + 0.3 * random.uniform();
    for (double &price : prices)
      price *= factor;
    setLabels(advice.decoding);
    if (!descend(prices, advice.bound) && found())
      setLabels(bestLabels);
  }
  startTemperature =
      0.5 * std::abs(found() ? bestCost : labelsCost) / std::max(core.size(), 1) * (cycles == 0 ? 1 : 0.3);
  ++cycles;
}

/// Covers of whole forests under the prices, which rise where memory is short, until the labels fit.
bool Primal::descend(std::vector<double> prices, double bound) {
  constexpr int kRounds = 80, kCovers = 3;
  double factor = 1;
  for (int round = 0; round < kRounds; ++round, factor *= 1.05) {
    std::vector<double> now = prefixSums(prices);
    for (int i = 0; i < kCovers; ++i)
      cover(now);
    setLabels(std::move(labels));
    if (feasible)
      return true;
    int64_t worst = 0;
    for (int t = 0; t < core.slots(); ++t)
      worst = std::max(worst, usage[t] - core.room[t]);
    for (int t = 0; t < core.slots(); ++t)
      if (int64_t excess = usage[t] - core.room[t]; excess > 0 && 2 * excess > worst)
        prices[t] += factor * std::max(0.003 * std::abs(bound) / double(excess), 0.05 * prices[t]);
  }
  return false;
}

void Primal::cover(const std::vector<double> &now) {
  seeds.resize(core.size());
  std::iota(seeds.begin(), seeds.end(), 0);
  for (int i = core.size() - 1; i > 0; --i)
    std::swap(seeds[i], seeds[random.below(i + 1)]);
  forest.grow(seeds, core.size(), false, random);
  forest.gatherCosts(labels);
  const std::vector<int> &order = forest.nodes();
  for (size_t i = 0; i < order.size(); ++i)
    core.addPrices(core.nodes[order[i]], now, 1, forest.costsOf(static_cast<int>(i)));
  const std::vector<int> &chosen = forest.solve();
  for (size_t i = 0; i < order.size(); ++i)
    labels[order[i]] = chosen[i];
  work += forest.takeWork() + core.slots();
}

double Primal::temperature() const {
  double progress = double(cycleWork) / (0.8 * double(cycleLength));
  return progress >= 1 ? 0 : startTemperature * std::pow(0.01, progress);
}

/// One seed, or a few whose memory is live together.
void Primal::chooseBlock() {
  seeds.assign(1, random.below(core.size()));
  if (random.below(3) == 0 && core.slots() > 0) {
    const Core::Node &first = core.nodes[seeds[0]];
    int count = 1 + random.below(4);
    for (int tries = 0; first.firstSegment < first.endSegment && tries < 30 && static_cast<int>(seeds.size()) < count;
         ++tries) {
      int candidate = random.below(core.size());
      const Core::Node &node = core.nodes[candidate];
      if (node.firstSegment < node.endSegment &&
          core.segments[node.firstSegment].begin < core.segments[first.endSegment - 1].end &&
          core.segments[first.firstSegment].begin < core.segments[node.endSegment - 1].end)
        seeds.push_back(candidate);
    }
  }
  int size = std::min(1 << (1 + random.below(kLargestBlock)), core.size());
  forest.grow(seeds, size, random.below(2) == 0, random);
}

/// Into `difference`: how the memory from hullBegin to hullEnd changes with the labels chosen. False if it does not fit
/// at slot `worst`, where it changes by `change`.
bool Primal::place(const std::vector<int> &chosen, int &worst, int64_t &change) {
  const std::vector<int> &order = forest.nodes();
  hullBegin = core.slots();
  hullEnd = 0;
  auto forChanges = [&](auto visit) {
    for (size_t i = 0; i < order.size(); ++i) {
      int before = labels[order[i]];
      if (chosen[i] == before)
        continue;
      const Core::Node &node = core.nodes[order[i]];
      for (int s = node.firstSegment; s < node.endSegment; ++s)
        if (int64_t by = core.bytes[core.segments[s].bytes + chosen[i]] - core.bytes[core.segments[s].bytes + before])
          visit(core.segments[s], by);
    }
  };
  forChanges([&](const Core::Segment &segment, int64_t) {
    hullBegin = std::min(hullBegin, segment.begin);
    hullEnd = std::max(hullEnd, segment.end);
  });
  if (hullBegin >= hullEnd)
    return true;
  difference.assign(hullEnd - hullBegin + 1, 0);
  forChanges([&](const Core::Segment &segment, int64_t by) {
    difference[segment.begin - hullBegin] += by;
    difference[segment.end - hullBegin] -= by;
  });
  int64_t now = 0, most = 0;
  for (int t = hullBegin; t < hullEnd; ++t) {
    now += difference[t - hullBegin];
    difference[t - hullBegin] = now;
    if (int64_t excess = usage[t] + now - core.room[t]; excess > most) {
      most = excess;
      worst = t;
      change = now;
    }
  }
  work += hullEnd - hullBegin;
  return most == 0;
}

/// Adds prices, in half of the moves, and noise to the block's costs.
void Primal::disturb(double heat) {
  double scale = random.below(2) == 0 ? 0 : 0.5 + 1.5 * random.uniform();
  const std::vector<int> &order = forest.nodes();
  for (size_t i = 0; i < order.size(); ++i) {
    const Core::Node &node = core.nodes[order[i]];
    double *costs = forest.costsOf(static_cast<int>(i));
    if (scale > 0)
      core.addPrices(node, sums, scale, costs);
    if (heat > 0)
      for (int k = 0; k < node.labels; ++k)
        costs[k] += heat * random.gumbel();
    work += (heat > 0 ? 20 : 2) * node.labels;
  }
}

void Primal::addPrice(int slot, double price) {
  const std::vector<int> &order = forest.nodes();
  for (size_t i = 0; i < order.size(); ++i) {
    const Core::Node &node = core.nodes[order[i]];
    for (int s = node.firstSegment; s < node.endSegment; ++s)
      if (core.segments[s].begin <= slot && slot < core.segments[s].end) {
        double *costs = forest.costsOf(static_cast<int>(i));
        for (int k = 0; k < node.labels; ++k)
          costs[k] += price * double(core.bytes[core.segments[s].bytes + k]);
      }
  }
}

void Primal::apply(const std::vector<int> &chosen, double change) {
  const std::vector<int> &order = forest.nodes();
  for (int t = hullBegin; t < hullEnd; ++t)
    usage[t] += difference[t - hullBegin];
  for (size_t i = 0; i < order.size(); ++i)
    labels[order[i]] = chosen[i];
  labelsCost += change;
  if (labelsCost < bestCost) {
    labelsCost = core.costOf(labels); // sums of changes drift
    keepBest();
  }
}

/// Gives a block its best labels. Where they do not fit, the slot at fault gets the price that ties them with the
/// present ones, and the block is solved again.
void Primal::move() {
  double heat = temperature();
  chooseBlock();
  forest.gatherCosts(labels);
  plain = forest.costs();
  disturb(heat);
  current.clear();
  for (int node : forest.nodes())
    current.push_back(labels[node]);
  for (int tries = 0; tries <= kPriceRaises; ++tries) {
    const std::vector<int> &chosen = forest.solve();
    if (chosen == current)
      break;
    int worst = 0;
    int64_t more = 0;
    if (place(chosen, worst, more)) {
      double change = forest.valueOf(plain, chosen) - forest.valueOf(plain, current);
      if (change <= heat * random.exponential())
        apply(chosen, change);
      break;
    }
    double gain = forest.valueOf(forest.costs(), current) - forest.valueOf(forest.costs(), chosen);
    addPrice(worst, std::max(gain, 1e-9 * std::abs(gain)) * 1.0001 / double(std::max<int64_t>(more, 1)));
  }
  work += forest.takeWork() + 50;
}

} // namespace froe

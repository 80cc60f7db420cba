#include "Branching.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSettleSteps = 200, kTrialSteps = 8;
constexpr int kNearRoot = 6;                              ///< depth up to which
constexpr size_t kDivisionsNearRoot = 16, kDivisions = 4; ///< so many divisions are tried out, and so many below
constexpr int64_t kHeapBytes = int64_t(96) << 20;
/// How much dearer a label may look than the cheapest one to count, in parts of the gap that a node has on average.
constexpr double kHeat = 3;
/// Divisions by memory come before those by cost alone.
constexpr double kWorthOfCosts = 1e-6;

/// How much labels that count differ, which ones these are, and where their memory divides.
struct Spread {
  std::vector<double> weight; ///< of labels; they add up to 1
  double mean = 0, deviation = 0, least = kInfinity, most = -kInfinity;
  double entropy = 0;
  int likeliest = -1;

  /// Of labels that are `open`, by their costs above the cheapest one, and `values`.
  Spread(const std::vector<bool> &open, const double *reduced, const std::vector<double> &values, double heat)
      : weight(values.size(), 0) {
    double all = 0, squares = 0;
    for (size_t k = 0; k < values.size(); ++k)
      if (open[k])
        all += weight[k] = std::max(std::exp(-reduced[k] / heat), 1e-300);
    for (size_t k = 0; k < values.size(); ++k) {
      if (!open[k])
        continue;
      weight[k] /= all;
      mean += weight[k] * values[k];
      squares += weight[k] * values[k] * values[k];
      entropy -= weight[k] > 0 ? weight[k] * std::log(weight[k]) : 0;
      least = std::min(least, values[k]);
      most = std::max(most, values[k]);
      if (likeliest < 0 || reduced[k] < reduced[likeliest])
        likeliest = static_cast<int>(k);
    }
    deviation = std::sqrt(std::max(0.0, squares - mean * mean));
    if (!(mean >= least && mean < most))
      mean = (least + most) / 2;
  }
};

int64_t bytesOf(const Dual::Point &point) {
  return static_cast<int64_t>(point.prices.size() * sizeof(double) + point.messages.size() * sizeof(float));
}
} // namespace

Branching::Branching(const Core &core, Dual &dual) : core(core), dual(dual) {
  put({dual.bound(), 0, dual.droppedLabels(), std::make_shared<Dual::Point>(dual.bestPoint())});
}

int64_t Branching::mostWorkPerSet(const Dual &dual) {
  return (kSettleSteps + 2 * kTrialSteps * int64_t(kDivisionsNearRoot)) * dual.cellsPerStep();
}

double Branching::bound() const {
  double least = heap.empty() ? kInfinity : heap.front().bound;
  for (const Open &open : stack)
    least = std::min(least, open.bound);
  return least;
}

bool Branching::isOpen(double value) const { return core.isBelow(value, known); }

int64_t Branching::run(int64_t budget, double knownCost) {
  known = std::min(known, knownCost);
  fit.clear();
  work = 0;
  while (work < budget && !(heap.empty() && stack.empty()))
    if (Open open = take(); isOpen(open.bound))
      expand(std::move(open));
  return work;
}

Branching::Open Branching::take() {
  if (stack.empty()) {
    std::ranges::pop_heap(heap, isWorse);
    stack.push_back(std::move(heap.back()));
    heap.pop_back();
    heapBytes -= bytesOf(*stack.back().point) / 2 + core.allLabels / 8;
  }
  Open open = std::move(stack.back());
  stack.pop_back();
  return open;
}

/// Two sets share a point.
void Branching::put(Open open) {
  if (heapBytes > kHeapBytes)
    return stack.push_back(std::move(open));
  heapBytes += bytesOf(*open.point) / 2 + core.allLabels / 8;
  heap.push_back(std::move(open));
  std::ranges::push_heap(heap, isWorse);
}

/// Raises the bound by steps of the dual; what they drop and where they lead stays in the dual.
void Branching::settle(Open &open, int steps) {
  dual.restart(*open.point, open.dropped);
  work += dual.settle(steps, known);
  open.bound = std::max(open.bound, dual.bound());
  open.dropped = dual.droppedLabels();
  offerFit();
}

void Branching::offerFit() {
  if (dual.fitting().empty())
    return;
  if (double cost = core.costOf(dual.fitting()); cost < known) {
    known = cost;
    fit = dual.fitting();
  }
}

void Branching::expand(Open open) {
  settle(open, kSettleSteps);
  if (!isOpen(open.bound))
    return;
  open.point = std::make_shared<Dual::Point>(dual.bestPoint());
  std::vector<Division> divisions = divisionsOf(open, known - open.bound);
  if (divisions.empty()) // one label each: the bound is not exact to the last bit, but the choice is known
    return;
  auto [low, high] = tryOut(open, divisions);
  for (Open *half : {&low, &high})
    if (isOpen(half->bound))
      put(std::move(*half));
}

Branching::Halves Branching::divide(const Open &open, const Division &division) const {
  Halves halves(open, open);
  for (Open *half : {&halves.first, &halves.second})
    ++half->depth;
  for (size_t k = 0; k < division.low.size(); ++k)
    (division.low[k] ? halves.second : halves.first).dropped[core.nodes[division.node].cost + int64_t(k)] = true;
  return halves;
}

/// The halves whose bounds rise most, as a product.
Branching::Halves Branching::tryOut(const Open &open, const std::vector<Division> &divisions) {
  Halves best;
  double bestGain = -1, gap = known - open.bound;
  auto gain = [&](const Open &half) { return std::min(half.bound - open.bound, gap) + 1e-6 * gap; };
  for (const Division &division : divisions) {
    Halves halves = divide(open, division);
    settle(halves.first, kTrialSteps);
    settle(halves.second, kTrialSteps);
    if (double product = gain(halves.first) * gain(halves.second); product > bestGain) {
      bestGain = product;
      best = std::move(halves);
    }
  }
  return best;
}

/// The most promising ones, best first: where the memory of labels that count differs most in price, else where most
/// labels cost about the same.
std::vector<Branching::Division> Branching::divisionsOf(const Open &open, double gap) const {
  double heat = std::max(kHeat * gap / core.size(), 1e-9);
  std::vector<double> sums = prefixSums(open.point->prices);
  std::vector<Division> divisions;
  for (int i = 0; i < core.size(); ++i) {
    const Core::Node &node = core.nodes[i];
    std::vector<bool> isLeft(node.labels);
    for (int k = 0; k < node.labels; ++k)
      isLeft[k] = !open.dropped[node.cost + k];
    if (std::ranges::count(isLeft, true) < 2)
      continue;
    std::vector<double> priced(node.labels, 0);
    core.addPrices(node, sums, 1, priced.data());
    Spread spread(isLeft, &dual.reducedCosts()[node.cost], priced, heat);
    Division byCost{i, std::vector<bool>(node.labels, false), kWorthOfCosts * spread.entropy};
    byCost.low[spread.likeliest] = true;
    if (spread.most - spread.least > 1e-6 * known) {
      Division byMemory{i, {}, spread.deviation + 1e-9 * (spread.most - spread.least)};
      for (double value : priced)
        byMemory.low.push_back(value <= spread.mean);
      divisions.push_back(std::move(byMemory));
    }
    divisions.push_back(std::move(byCost));
  }
  std::ranges::sort(divisions, [](const Division &a, const Division &b) {
    return std::pair(a.worth, b.node) > std::pair(b.worth, a.node);
  });
  divisions.resize(std::min(divisions.size(), open.depth < kNearRoot ? kDivisionsNearRoot : kDivisions));
  return divisions;
}

} // namespace froe

#include "Dual.h"

#include "DropLabels.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPlainSteps = 10; ///< before the prices move
constexpr int kPatience = 30;   ///< steps without a better bound before the step length decays
constexpr int kDropEvery = 30;  ///< steps from one dropping of labels to the next, at least
constexpr double kFirstLength = 0.1, kDecay = 0.7, kShortest = 2e-4;
constexpr double kRestartWithMomentum = 0.05, kRestartPlain = 0.003;
constexpr double kSettleLength = 0.3, kSettleDecay = 0.5; ///< of `settle`
constexpr int kSettlePatience = 6;
constexpr double kSlowGain = 0.02; ///< of the gap, in a block of steps
constexpr int kProgressSteps = 1000;
constexpr double kProgress = 0.01; ///< of the gap in so many steps; less hardly closes it
constexpr double kMemory = 0.98;   ///< of the direction, with momentum
constexpr double kHeat = 0.3;      ///< of the labels' weights, in parts of the gap that a node has on average
} // namespace

Dual::Dual(const Core &core)
    : core(core), price(core.slots(), 0), bestPrice(price), direction(price), own(core.costs), costs(own),
      reduced(own.size(), 0), labels(core.size(), 0), length(kFirstLength) {
  int64_t size = 0;
  int widest = 1;
  for (const Core::Node &node : core.nodes) {
    widest = std::max(widest, node.labels);
    for (int a = node.firstArc; a < node.endArc; ++a) {
      offsets.push_back(size);
      size += node.labels;
    }
  }
  messages.assign(size, 0);
  sum.resize(widest);
  weight.resize(widest);
  expected.resize(core.slots() + 1);
  sent.resize(widest);
  received.resize(widest + kLanes);
}

int64_t Dual::run(int64_t work, double known) {
  fit.clear();
  fitCost = kInfinity;
  int64_t done = 0;
  for (; done < work; done += cellsPerStep()) {
    step(known);
    known = std::min(known, fitCost);
    noteProgress(known);
    if (stalled == 0 && steps >= nextDrop)
      dropLabels(known);
    if (stalled >= kPatience)
      decay();
    if (!core.isBelow(best, known))
      break;
  }
  return done;
}

void Dual::noteProgress(double known) {
  if (steps % kProgressSteps != 0)
    return;
  spent = best - progress < kProgress * (known - best);
  progress = best;
}

Dual::Point Dual::bestPoint() const { return {bestPrice, {bestMessages.begin(), bestMessages.end()}}; }

std::vector<bool> Dual::droppedLabels() const {
  std::vector<bool> dropped(own.size());
  for (size_t k = 0; k < own.size(); ++k)
    dropped[k] = own[k] >= core.excluded;
  return dropped;
}

void Dual::restart(const Point &point, const std::vector<bool> &dropped) {
  for (size_t k = 0; k < own.size(); ++k)
    own[k] = dropped[k] ? core.excluded : core.costs[k];
  price = bestPrice = point.prices;
  messages.assign(point.messages.begin(), point.messages.end());
  bestMessages = messages;
  best = -kInfinity;
  momentum = false;
  length = kSettleLength;
  stalled = 0;
}

int64_t Dual::settle(int most, double known) {
  constexpr int kBlock = 4, kSlowBlocks = 15;
  fit.clear();
  fitCost = kInfinity;
  steps = std::max(steps, kPlainSteps); // prices move at once
  double before = -kInfinity;
  int done = 0;
  for (int slow = 0; done < most && slow < kSlowBlocks;) {
    step(known);
    known = std::min(known, fitCost);
    if (!core.isBelow(best, known))
      break;
    if (++done % kBlock == 0) {
      dropLabels(known);
      slow = best - before < kSlowGain * (known - best) ? slow + 1 : 0;
      before = best;
    }
    if (stalled >= kSettlePatience)
      goBack(kSettleDecay);
  }
  return done * cellsPerStep();
}

void Dual::step(double known) {
  bool forwardDecodes = steps++ % 2 == 0;
  double gap = std::min(std::min(known, fitCost) - best, 0.3 * std::abs(best));
  heat = kHeat * std::max(gap, 0.0) / core.size();
  std::ranges::fill(expected, 0);
  computeCosts();
  double constant = 0;
  for (int t = 0; t < core.slots(); ++t)
    constant -= price[t] * double(core.room[t]);
  floor = constant + pass(true, forwardDecodes);
  double value = constant + pass(false, !forwardDecodes);
  if (value > best) {
    best = value;
    bestPrice = price;
    bestMessages = messages;
    stalled = 0;
  } else {
    ++stalled;
  }
  std::vector<int64_t> usage = core.usageOf(labels);
  if (core.fits(usage))
    if (double cost = core.costOf(labels); cost < std::min(fitCost, core.excluded)) {
      fitCost = cost;
      fit = labels;
    }
  if (steps > kPlainSteps)
    movePrices(value, std::min(known, fitCost));
}

void Dual::movePrices(double value, double known) {
  double squares = 0, usage = 0;
  for (int t = 0; t < core.slots(); ++t) {
    usage += expected[t];
    double excess = usage - double(core.room[t]);
    if (price[t] == 0 && excess < 0)
      excess = 0;
    direction[t] = momentum ? kMemory * direction[t] + (1 - kMemory) * excess : excess;
    squares += direction[t] * direction[t];
  }
  double aim = std::min(known - value, 0.3 * std::abs(value) + 1e-12);
  if (squares > 0 && aim > 0)
    for (int t = 0; t < core.slots(); ++t)
      price[t] = std::max(0.0, price[t] + length * aim / squares * direction[t]);
}

void Dual::goBack(double shorter) {
  stalled = 0;
  price = bestPrice;
  messages = bestMessages;
  length *= shorter;
}

void Dual::decay() {
  goBack(kDecay);
  if (length >= kShortest)
    return;
  momentum = !momentum;
  length = momentum ? kRestartWithMomentum : kRestartPlain;
  std::ranges::fill(direction, 0);
}

/// When the sweep back meets a label, all chains of messages through its node agree on the label's reduced cost; sweeps
/// never lower the bound while prices rest. So the bound by the sweep forward plus it bounds every choice with it.
void Dual::dropLabels(double known) {
  if (!std::isfinite(known))
    return;
  nextDrop = steps + kDropEvery;
  dropDear(core, reduced, floor, known, own);
  dropLarge(core, own);
}

void Dual::computeCosts() {
  costs = own;
  std::vector<double> sums = prefixSums(price);
  for (const Core::Node &node : core.nodes)
    core.addPrices(node, sums, 1, &costs[node.cost]);
}

/// Into `sum`: the node's costs and all messages to it.
void Dual::gather(int number) {
  const Core::Node &node = core.nodes[number];
  std::copy_n(&costs[node.cost], node.labels, sum.data());
  for (int a = node.firstArc; a < node.endArc; ++a) {
    const double *in = message(a);
    for (int k = 0; k < node.labels; ++k)
      sum[k] += in[k];
  }
}

/// Adds the memory of a node, whose labels weigh the less the dearer they are by `sum`. The cheapest label alone would
/// be a subgradient too, but it jumps to and fro between labels that are nearly as good, and the prices with it.
void Dual::expect(const Core::Node &node, double least) {
  double all = 0;
  for (int k = 0; k < node.labels; ++k)
    all += weight[k] = sum[k] <= least ? 1 : heat > 0 ? std::exp((least - sum[k]) / heat) : 0;
  for (int s = node.firstSegment; s < node.endSegment; ++s) {
    const int64_t *bytes = &core.bytes[core.segments[s].bytes];
    double mean = 0;
    for (int k = 0; k < node.labels; ++k)
      mean += weight[k] * double(bytes[k]);
    expected[core.segments[s].begin] += mean / all;
    expected[core.segments[s].end] -= mean / all;
  }
}

/// One sweep. Returns the bound of the core's costs with prices.
double Dual::pass(bool forward, bool decode) {
  double total = 0;
  std::vector<double> choice;
  for (int step = 0; step < core.size(); ++step) {
    int number = forward ? step : core.size() - 1 - step;
    const Core::Node &node = core.nodes[number];
    gather(number);
    int back = node.forward - node.firstArc, ahead = node.endArc - node.forward;
    int first = forward ? node.forward : node.firstArc, end = forward ? node.endArc : node.forward;
    if (decode) { // neighbours already decided count exactly, the others by their messages
      choice.assign(sum.begin(), sum.begin() + node.labels);
      for (int a = forward ? node.firstArc : node.forward; a < (forward ? node.forward : node.endArc); ++a) {
        const Core::Arc &arc = core.arcs[a];
        const double *in = message(a);
        const double *row = &core.matrices[core.arcs[arc.reverse].matrix + int64_t(labels[arc.other]) * node.labels];
        for (int k = 0; k < node.labels; ++k)
          choice[k] += row[k] - in[k];
      }
      labels[number] = static_cast<int>(std::ranges::min_element(choice) - choice.begin());
    }
    double least = *std::min_element(sum.begin(), sum.begin() + node.labels);
    total += least;
    if (!forward)
      for (int k = 0; k < node.labels; ++k)
        reduced[node.cost + k] = sum[k] - least;
    if (!forward && node.firstSegment < node.endSegment)
      expect(node, least);
    double share = 1.0 / std::max({back, ahead, 1});
    for (int a = first; a < end; ++a) {
      const Core::Arc &arc = core.arcs[a];
      const Core::Node &other = core.nodes[arc.other];
      const double *in = message(a);
      for (int k = 0; k < node.labels; ++k)
        sent[k] = share * (sum[k] - least) - in[k];
      double *out = message(arc.reverse);
      minPlus(sent.data(), &core.matrices[arc.matrix], node.labels, other.labels, received.data());
      double smallest = *std::min_element(received.begin(), received.begin() + other.labels);
      total += smallest;
      for (int k = 0; k < other.labels; ++k)
        out[k] = std::min(received[k] - smallest, core.excluded);
    }
  }
  return total;
}

} // namespace froe

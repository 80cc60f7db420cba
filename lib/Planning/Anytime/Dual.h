#pragma once

#include "Core.h"

namespace froe {

/// The Lagrangian dual of the memory limit: a price per byte in each slot, raised where memory is short. For given
/// prices tree-reweighted message passing (TRW-S; Kolmogorov, PAMI 2006) bounds what any choice costs, and conditioned
/// decoding of its messages gives a choice. One pass forward and back for each step of the prices; messages are kept.
///
/// Two rules for the step, since neither wins everywhere: with momentum, or without it. Where the bound no longer rises
/// both go back to the best prices and their messages, with shorter steps, and take turns when these are short.
///
/// Now and then labels are dropped that no choice has that is cheaper than the best known one: those whose least cost
/// by the messages (reduced cost) is too high, and those whose memory no longer fits beside the least of all others. So
/// the bound is one of what may still be better: it may pass the best known cost, which then is proven best.
class Dual {
public:
  explicit Dual(const Core &core);

  /// Steps until about `work` matrix cells have been looked at. `known`: the cost of the best choice that fits, or
  /// infinity. Returns the cells.
  int64_t run(int64_t work, double known);
  int64_t cellsPerStep() const { return core.cells + 8 * core.allLabels + 4 * core.slots() + 100; }
  /// Whether the last hundreds of steps hardly raised the bound: what gap is left, prices alone do not close.
  bool isSpent() const { return spent; }

  /// What a bound was reached with, to go on from later. Messages of any values lead to valid bounds, so rounded ones
  /// do.
  struct Point {
    std::vector<double> prices;
    std::vector<float> messages;
  };
  Point bestPoint() const;
  /// Labels by their place in Core::costs; true: dropped.
  std::vector<bool> droppedLabels() const;
  const std::vector<double> &reducedCosts() const { return reduced; }
  /// From now on only labels that are not dropped count, and the bound is theirs.
  void restart(const Point &point, const std::vector<bool> &dropped);
  /// At most so many steps after a restart, and fewer where they hardly raise the bound any more or it reaches `known`;
  /// labels are dropped all along. Returns the cells.
  int64_t settle(int most, double known);

  double bound() const { return best; } ///< without the core's offset
  const std::vector<double> &bestPrices() const { return bestPrice; }
  const std::vector<int> &decoding() const { return labels; }
  /// The cheapest decoding of the last run that fits, if any.
  const std::vector<int> &fitting() const { return fit; }

private:
  void step(double known);
  void dropLabels(double known);
  void noteProgress(double known);
  void movePrices(double value, double known);
  void expect(const Core::Node &node, double least);
  void goBack(double shorter);
  void decay();
  void computeCosts();
  double pass(bool forward, bool decode);
  void gather(int node);
  double *message(int arc) { return &messages[offsets[arc]]; }

  const Core &core;
  std::vector<double> price, bestPrice, direction;
  std::vector<double> own, costs;                  ///< of labels: without and with prices; dropped ones are excluded
  std::vector<double> reduced;                     ///< of labels, as the last backward sweep met them
  std::vector<double> messages, bestMessages;      ///< into the node of each arc, from its other end
  std::vector<int64_t> offsets;                    ///< of an arc's message
  std::vector<double> sum, sent, received, weight; ///< of one node
  std::vector<double> expected;                    ///< memory under soft choices, as changes from slot to slot
  std::vector<int> labels, fit;
  double best = -std::numeric_limits<double>::infinity(), fitCost = 0;
  double length, heat = 0;
  double floor = 0; ///< bound by the last forward sweep
  int stalled = 0, steps = 0, nextDrop = 0;
  double progress = -std::numeric_limits<double>::infinity(); ///< the bound when progress was last looked at
  bool momentum = true, spent = false;
};

} // namespace froe

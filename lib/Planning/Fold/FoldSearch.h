#pragma once

#include "../Prices.h"
#include "Fold.h"

#include <map>

namespace froe::fold {

/// Searches by folding alone: the price of memory at which the bound is best, a choice that fits by giving some nodes
/// what is fast and the others a high price, and the labels of hubs by branching. Most of it happens in a reduced
/// model: labels that no good choice can have are dropped as soon as the price is known.
class FoldSearch : private Relaxation {
public:
  /// `level`: how often the model was reduced already.
  FoldSearch(const Model &model, Tables &tables, const SolveOptions &options, int level = 0);

  /// False if there is no choice at all, whatever memory it needs.
  bool run();
  /// Whether no more is asked for.
  bool done() const;
  bool notBetter() const { return bound >= options.incumbent; } // both may be infinite: then there is no choice
  /// Whether it is certain that no choice fits.
  bool nothingFits() const { return proven; }
  /// The choice found that needs least memory.
  std::vector<int> smallest();

  std::vector<int> best; ///< empty: none that fits was found
  double bestCost, bound = 0, price = 0;

private:
  double run(const std::vector<double> &slotPrices) override;
  std::vector<int> decode() override { return fold.decode(); }

  bool over() const { return done() || (options.cancelled && options.cancelled()); }
  double known() const { return std::min(bestCost, options.incumbent); }
  /// Whether the best choice costs noticeably less than `before`.
  bool helped(double before) const { return bestCost < before * (1 - 1e-4); }
  bool consider(const std::vector<int> &labels);
  void tryPrice(double total);
  void search();
  void searchPrices();
  void climb(Prices &prices);
  void reduceByGuesses();
  bool reduceTo(double cutoff);
  void mixAll();
  void mix(const std::vector<int> &fast, const SlotPrices &prices, bool forwards);
  bool raise(std::vector<double> &slotPrices);
  void repairAt(const std::vector<double> &slotPrices);
  void polish();
  void settleHubs(const std::vector<double> &slotPrices);

  const Model &model;
  const SolveOptions &options;
  Tables &tables;
  Fold fold;
  SlotGroups groups;
  int level;
  std::vector<double> bestPrices; ///< of each slot: where the bound is best
  std::vector<double> mixPrices;  ///< the same, or near it where those are none
  std::vector<Restriction> hubLabels;
  double ceiling; ///< no choice costs more
  bool proven = false;
};

} // namespace froe::fold

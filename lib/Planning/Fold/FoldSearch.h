#pragma once

#include "../Prices.h"
#include "Fold.h"

#include <map>

namespace froe::fold {

/// Searches by folding alone: the price of memory at which the bound is best, a choice that fits by giving the first
/// nodes a high price and the others a low one, and the labels of hubs by branching.
class FoldSearch : private Relaxation {
public:
  FoldSearch(const Model &model, Tables &tables, const SolveOptions &options);

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

  bool stopped() const { return options.cancelled && options.cancelled(); }
  bool consider(const std::vector<int> &labels);
  void searchPrices();
  void climb(Prices &prices);
  bool raise(std::vector<double> &slotPrices);
  void mix(const SlotPrices &low, const SlotPrices &high, bool forwards);
  void repairAt(const std::vector<double> &slotPrices);
  void polish();
  void settleHubs(const std::vector<double> &slotPrices);

  const Model &model;
  const SolveOptions &options;
  Fold fold;
  SlotGroups groups;
  std::vector<Restriction> hubLabels; ///< hubs are fixed while prices are searched
  double ceiling;                     ///< no choice costs more
  bool proven = false;
};

} // namespace froe::fold

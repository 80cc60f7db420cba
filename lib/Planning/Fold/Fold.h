#pragma once

#include "../Model.h"
#include "../SlotPrices.h"
#include "FoldOrder.h"
#include "Marginals.h"
#include "Tables.h"

#include <memory>

namespace froe::fold {

/// What a byte costs whom: each node pays the prices of one of a few levels.
struct Pricing {
  std::vector<SlotPrices> levels;
  std::vector<uint8_t> levelOf; ///< of each node; empty: the first

  Pricing(const SlotPrices &everywhere = {}) : levels{everywhere} {}
  const SlotPrices &of(int node) const { return levels[levelOf.empty() ? 0 : levelOf[node]]; }
};

/// A label that a node must take, or must not.
struct Restriction {
  int node, label;
  bool excluded;
  bool operator==(const Restriction &) const = default;
};

/// P8. Minimises a model's costs, plus prices for bytes, by eliminating one node after the other. Every step works on
/// tables kept once (`Tables`), so that only the first of like steps costs time.
///
/// Where nodes with three neighbours or more are left, the largest hub is replaced by copies that may disagree: the
/// result is then a lower bound.
///
/// Nodes that are kept are left over, with what the rest costs for their labels.
class Fold {
public:
  Fold(const Model &model, Tables &tables, const std::vector<int> &kept = {});

  /// The smallest cost, or a lower bound of it; infinity if there is no choice. The limit plays no part.
  double run(const Pricing &pricing, const std::vector<Restriction> &restrictions = {});
  /// The choice that the last run leads to.
  std::vector<int> decode();

  /// How much more than the bound of the last run each label costs at least.
  Marginals marginals() const {
    return Marginals({*order, tables, unaries, registers, used, static_cast<int>(base.size())});
  }

  /// After a run: what each label of a kept node costs, and each pair of two, rows being labels of the first; none
  /// where they do not depend on each other.
  Id costsOf(int kept) const { return unaries[kept]; }
  std::optional<Id> costsBetween(int kept, int other) {
    std::optional<View> link = order->linkBetween(kept, other);
    return link ? std::optional(seen(*link)) : std::nullopt;
  }

  /// Nodes whose copies may have disagreed in the last run.
  const std::vector<int> &hubs() const { return hubNodes; }
  /// A hub whose copies disagree in the choice decoded last; -1 if there is none.
  int disputedHub() const { return disputed; }
  /// Numbers that a run computes where nothing is known yet.
  double work() const { return order->distinctWork(); }

private:
  void prepare();
  Shape shape();
  void price(const Pricing &pricing);
  Id take(Found found) {
    constant += found.offset;
    return found.id;
  }
  Id seen(View view) { return view.flipped ? tables.transposed(registers[view.table]) : registers[view.table]; }
  void apply(const Step &step);
  /// `links`: the tables to the neighbours of the step's node.
  int answer(const Step &step, const Id *links, const std::vector<int> &labels);

  const Model &model;
  Tables &tables;
  int generation = -1;
  std::vector<Id> costs, bytes; ///< of the nodes; of their uses, one node's behind the other's
  std::vector<Id> base;         ///< tables of the edges
  double baseOffset = 0;        ///< of those
  std::unique_ptr<FoldOrder> order;
  std::vector<int> hubNodes;

  int disputed = -1;
  double constant = 0;
  std::vector<Id> unaries, registers;
  struct Hash {
    size_t operator()(const std::array<int, 5> &words) const;
  };
  std::unordered_map<std::array<int, 5>, int, Hash> answers; ///< of `decode`, for all runs
  std::vector<Id> used;                                      ///< by each step: its tables, rows are the step's node
};

} // namespace froe::fold

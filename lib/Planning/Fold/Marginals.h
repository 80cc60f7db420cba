#pragma once

#include "FoldOrder.h"
#include "Tables.h"

#include <array>
#include <memory>
#include <span>

namespace froe::fold {

/// What a run of `Fold` worked on.
struct Trace {
  const FoldOrder &order;
  Tables &tables;
  std::span<const Id> unaries;   ///< of each node, copies included, when it was eliminated
  std::span<const Id> registers; ///< the tables
  std::span<const Id> used;      ///< by each step, one behind the other: its tables, rows are the step's node
  int givenTables;               ///< so many registers hold tables of edges
};

/// How much more than the cheapest choice the cheapest choice with a label costs, for each label of each node: the
/// backward pass to the elimination's forward pass. It goes through the steps from last to first and works out what
/// each table's rest of the problem (its outside) costs at least.
///
/// Like steps are one here too: they get the smallest of their outsides. What comes out is then a lower bound, and as
/// one the same for all like nodes.
class Marginals {
public:
  explicit Marginals(Trace trace);
  /// Of the labels of a node; a reference to the same list for like nodes.
  const std::vector<Number> &of(int node) const { return *excess[node]; }

private:
  /// Steps that do the same with the same tables.
  struct Group {
    std::vector<const Step *> steps;
    const Id *used; ///< the tables
  };
  using Outside = std::shared_ptr<const Matrix>;

  void groupSteps();
  std::array<Id, 7> keyOf(const Step &step, const Id *used) const;
  void leaf(const Group &group);
  void between(const Group &group);
  void split(const Step &step);
  /// The smallest of the outsides of a register of each step of the group.
  Matrix outsideOf(const Group &group, int Step::*table) const;
  template <typename ViewOf> bool isMade(const Group &group, ViewOf viewOf) const;
  template <typename ViewOf> void give(const Group &group, Matrix outside, ViewOf viewOf);
  void setExcess(const Group &group, std::vector<Number> values);
  Id seen(View view) const;

  const Trace trace;
  std::vector<Group> groups;
  std::vector<Outside> outsides;
  std::vector<std::shared_ptr<const std::vector<Number>>> excess;
};

} // namespace froe::fold

#pragma once

#include "Model.h"
#include "Relaxation.h"

namespace froe {

/// Unary costs of all labels of all nodes: the nodes' own, plus prices for memory.
using Unaries = std::vector<std::vector<double>>;
/// The unary costs at these prices for each slot.
Unaries pricedUnaries(const Model &model, const std::vector<double> &slotPrices);

/// Minimises unary and edge costs by eliminating one node after the other: the node's best answer to each combination
/// of its neighbours' labels becomes a table over those neighbours. Nodes with the smallest tables go first, so that
/// trees and series-parallel graphs need tables of at most two nodes.
///
/// Where a table would become too large, the node's tables are split into groups that are minimised each on its own
/// ("mini-buckets"): the total is then a lower bound, and the choice decoded from it a heuristic one.
///
/// The order depends on the model alone; `run` can be repeated with other unaries.
class Elimination : public Relaxation {
public:
  explicit Elimination(const Model &model);

  /// A lower bound of the smallest total, exactly it if `isExact()`.
  double run(const Unaries &unaries);
  double run(const std::vector<double> &slotPrices) override { return run(pricedUnaries(model, slotPrices)); }
  bool isExact() const { return exact; }
  /// Table entries touched by a run.
  double work() const { return totalWork; }

  /// The choice that the tables of the last run lead to.
  std::vector<int> decode() override;

  /// Nodes in the order in which they can be decided: `increases` of a node needs the labels of those before.
  const std::vector<int> &decisionOrder() const { return decisions; }
  /// For each label of `node`, by how much the bound of the last run grows by choosing it, given `labels` of the nodes
  /// decided before. The bound plus the increases of all nodes is the cost of a choice.
  void increases(int node, const std::vector<int> &labels, std::vector<double> &result) const;

private:
  /// A function of the labels of some nodes.
  struct Table {
    std::vector<int> scope;
    std::vector<double> values; ///< of messages: filled by `run`; of edges: unused, read from the model
    int edge = -1;
    int64_t size = 1;
  };
  /// Tables minimised together over one node.
  struct Bucket {
    int node;
    bool hasUnary; ///< exactly one bucket of each node adds its unary costs
    std::vector<int> inputs;
    int message;
  };

  struct Packed;

  const double *valuesOf(const Table &table) const {
    return table.edge >= 0 ? model.edges[table.edge].cost.get().data() : table.values.data();
  }
  int64_t stride(const Table &table, int node) const;
  int64_t offset(const Table &table, int without, const std::vector<int> &labels) const;
  int addTable(std::vector<int> scope, int edge);
  double messageSize(int node) const;
  void eliminate(int node);
  void addBucket(int node, std::vector<int> inputs, bool hasUnary);
  Packed pack(const Table &table, const Bucket &bucket) const;
  void minimise(const Bucket &bucket);
  void addSlice(const Bucket &bucket, const std::vector<int> &labels, std::vector<double> &sum) const;

  const Model &model;
  Unaries unaries;
  std::vector<Table> tables;
  std::vector<std::vector<int>> tablesOf; ///< during construction: not yet consumed tables of each node
  std::vector<Bucket> buckets;
  std::vector<std::pair<int, int>> bucketsOf; ///< of each node: [first, last)
  std::vector<int> decisions;
  double totalWork = 0;
  bool exact = true;
};

} // namespace froe

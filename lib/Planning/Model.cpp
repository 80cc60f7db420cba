#include "Model.h"

#include "froe/Planning/Slots.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace froe {

namespace {
Slots slotsOf(const Problem &problem) {
  std::vector<Slots::Use> uses;
  if (problem.memoryLimit != Problem::kUnlimited)
    for (const PlanNode &node : problem.nodes)
      for (const MemoryUse &use : node.uses)
        uses.push_back({use.live, std::ranges::max(use.bytes)});
  return Slots(uses, problem.memoryLimit);
}

/// Picks labels out of the problem's tables; of equal tables, once.
class Selection {
public:
  /// The strategies that may be chosen.
  SharedTable<int> strategies(const PlanNode &node) {
    auto [it, isNew] = kept.try_emplace({node.cost.identity(), node.fixed});
    if (isNew) {
      std::vector<int> strategies;
      for (int i = 0; i < node.strategies(); ++i)
        if ((node.fixed < 0 || node.fixed == i) && node.cost[i] != std::numeric_limits<double>::infinity())
          strategies.push_back(i);
      it->second = std::move(strategies);
    }
    return it->second;
  }

  template <typename T> SharedTable<T> ofNode(const SharedTable<T> &table, const SharedTable<int> &strategies) {
    if (strategies.size() == table.size())
      return table;
    SharedTable<T> &found =
        std::get<std::map<Key, SharedTable<T>>>(selected)[{table.identity(), strategies.identity()}];
    if (found.empty())
      for (int strategy : strategies)
        found.edit().push_back(table[strategy]);
    return found;
  }

  SharedTable<double> ofEdge(const PlanEdge &edge, const SharedTable<int> &rows, const SharedTable<int> &columns,
                             size_t allColumns) {
    if (rows.size() * columns.size() == edge.cost.size())
      return edge.cost;
    auto [it, isNew] = edges.try_emplace({edge.cost.identity(), rows.identity(), columns.identity()});
    if (isNew) {
      std::vector<double> costs;
      costs.reserve(rows.size() * columns.size());
      for (int row : rows)
        for (int column : columns)
          costs.push_back(edge.cost[row * allColumns + column]);
      it->second = std::move(costs);
    }
    return it->second;
  }

  /// The sum of the costs of two edges between the same nodes; `rows` by those of `one`.
  SharedTable<double> sum(const SharedTable<double> &one, const SharedTable<double> &other, size_t rows, bool flipped) {
    auto [it, isNew] = sums.try_emplace({one.identity(), other.identity(), flipped});
    if (isNew) {
      std::vector<double> costs = one.get();
      size_t columns = costs.size() / std::max<size_t>(1, rows);
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j)
          costs[i * columns + j] += other[flipped ? j * rows + i : i * columns + j];
      it->second = {one, other, std::move(costs)};
    }
    return it->second[2];
  }

private:
  using Key = std::pair<const void *, const void *>;
  std::map<std::pair<const void *, int>, SharedTable<int>> kept;
  std::tuple<std::map<Key, SharedTable<double>>, std::map<Key, SharedTable<int64_t>>> selected;
  std::map<std::tuple<const void *, const void *, const void *>, SharedTable<double>> edges;
  /// With the addends: they must live as long as they are known by their places.
  std::map<std::tuple<const void *, const void *, bool>, std::vector<SharedTable<double>>> sums;
};
} // namespace

Model::Model(const Problem &problem) : limit(problem.memoryLimit) {
  Slots kept = slotsOf(problem);
  slots = kept.count();
  Selection selection;
  for (const PlanNode &from : problem.nodes) {
    Node &node = nodes.emplace_back();
    node.strategy = selection.strategies(from);
    node.cost = selection.ofNode(from.cost, node.strategy);
    for (const MemoryUse &use : from.uses) {
      Use mapped{kept.at(use.live.begin), kept.at(use.live.end), {}};
      if (mapped.begin == mapped.end)
        continue;
      mapped.bytes = selection.ofNode(use.bytes, node.strategy);
      node.uses.push_back(std::move(mapped));
    }
  }
  std::map<std::pair<int, int>, int> known;
  for (const PlanEdge &edge : problem.edges) {
    const Node &from = nodes[edge.from], &to = nodes[edge.to];
    SharedTable<double> cost = selection.ofEdge(edge, from.strategy, to.strategy, problem.nodes[edge.to].cost.size());
    auto [it, isNew] = known.try_emplace(std::minmax(edge.from, edge.to), static_cast<int>(edges.size()));
    if (!isNew) {
      Edge &merged = edges[it->second];
      merged.cost = selection.sum(merged.cost, cost, nodes[merged.a].strategy.size(), merged.a != edge.from);
      continue;
    }
    edges.push_back({edge.from, edge.to, std::move(cost)});
    nodes[edge.from].edges.push_back(it->second);
    nodes[edge.to].edges.push_back(it->second);
  }
}

double Model::costOf(const std::vector<int> &labels) const {
  double total = 0;
  for (size_t i = 0; i < nodes.size(); ++i)
    total += nodes[i].cost[labels[i]];
  for (const Edge &edge : edges)
    total += edgeCost(edge, labels[edge.a], labels[edge.b]);
  return total;
}

namespace {
/// Sums over all uses of the bytes that `of` says.
std::vector<int64_t> sumOfUses(const Model &model, auto &&of) {
  std::vector<int64_t> usage(model.slots + 1, 0); // first: by how much it changes
  for (size_t i = 0; i < model.nodes.size(); ++i)
    for (const Model::Use &use : model.nodes[i].uses) {
      int64_t bytes = of(i, use);
      usage[use.begin] += bytes;
      usage[use.end] -= bytes;
    }
  std::partial_sum(usage.begin(), usage.end(), usage.begin());
  usage.pop_back();
  return usage;
}
} // namespace

std::vector<int64_t> Model::usageOf(const std::vector<int> &labels) const {
  return sumOfUses(*this, [&](size_t node, const Use &use) { return use.bytes[labels[node]]; });
}

std::vector<int64_t> Model::smallestUsage() const {
  return sumOfUses(*this, [&](size_t node, const Use &use) { return smallestBytes(nodes[node], use); });
}

int64_t Model::smallestBytes(const Node &node, const Use &use) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t label = 0; label < use.bytes.size(); ++label)
    if (node.cost[label] != std::numeric_limits<double>::infinity())
      least = std::min(least, use.bytes[label]);
  return least;
}

bool Model::bytesAt(int node, int slot, std::vector<int64_t> &bytes) const {
  bytes.assign(nodes[node].labels(), 0);
  bool any = false;
  for (const Use &use : nodes[node].uses)
    if (use.begin <= slot && slot < use.end) {
      any = true;
      for (size_t label = 0; label < bytes.size(); ++label)
        bytes[label] += use.bytes[label];
    }
  return any;
}

std::vector<int> Model::strategiesOf(const std::vector<int> &labels) const {
  std::vector<int> strategies(labels.size());
  for (size_t i = 0; i < labels.size(); ++i)
    strategies[i] = nodes[i].strategy[labels[i]];
  return strategies;
}

void Model::keepLabels(int index, const std::vector<bool> &keep) {
  Node &node = nodes[index];
  auto filter = [&](auto &table) {
    auto &list = table.edit();
    size_t next = 0;
    for (size_t i = 0; i < keep.size(); ++i)
      if (keep[i])
        list[next++] = list[i];
    list.resize(next);
  };
  for (int e : node.edges) {
    Edge &edge = edges[e];
    std::vector<double> cost;
    int columns = nodes[edge.b].labels();
    for (int i = 0; i < nodes[edge.a].labels(); ++i)
      for (int j = 0; j < columns; ++j)
        if (keep[edge.a == index ? i : j])
          cost.push_back(edge.cost[i * columns + j]);
    edge.cost = std::move(cost);
  }
  filter(node.strategy);
  filter(node.cost);
  for (Use &use : node.uses)
    filter(use.bytes);
}

} // namespace froe

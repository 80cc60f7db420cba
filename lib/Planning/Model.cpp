#include "Model.h"

#include <algorithm>
#include <map>

namespace froe {

namespace {
/// Maps steps to slots: the slots kept, in order.
class Slots {
public:
  explicit Slots(const Problem &problem) {
    if (problem.memoryLimit == Problem::kUnlimited)
      return;
    struct Boundary {
      int64_t largest = 0; ///< change of the bytes live if all choices are the largest
      bool begins = false, ends = false;
    };
    std::map<int64_t, Boundary> boundaries;
    for (const PlanNode &node : problem.nodes)
      for (const MemoryUse &use : node.uses) {
        int64_t largest = std::ranges::max(use.bytes);
        Boundary &begin = boundaries[use.live.begin], &end = boundaries[use.live.end];
        begin.largest += largest;
        begin.begins = true;
        end.largest -= largest;
        end.ends = true;
      }
    int64_t live = 0;
    for (auto it = boundaries.begin(); it != boundaries.end(); ++it) {
      live += it->second.largest;
      auto next = std::next(it);
      // Where nothing begins, the slot before has all of this one's uses; where nothing ends behind it, the next one
      // has.
      bool covered = !it->second.begins || next == boundaries.end() || !next->second.ends;
      if (!covered && live > problem.memoryLimit)
        starts.push_back(it->first);
    }
  }

  int count() const { return static_cast<int>(starts.size()); }
  /// The first slot kept that begins at or after `step`.
  int at(int64_t step) const { return static_cast<int>(std::ranges::lower_bound(starts, step) - starts.begin()); }

private:
  std::vector<int64_t> starts;
};

void addEdge(Model &model, std::map<std::pair<int, int>, int> &known, const PlanEdge &edge, const Problem &problem) {
  auto [a, b] = std::minmax(edge.from, edge.to);
  auto [it, isNew] = known.try_emplace({a, b}, static_cast<int>(model.edges.size()));
  const Model::Node &nodeA = model.nodes[a], &nodeB = model.nodes[b];
  if (isNew) {
    model.edges.push_back({a, b, std::vector<double>(nodeA.strategy.size() * nodeB.strategy.size(), 0)});
    model.nodes[a].edges.push_back(it->second);
    model.nodes[b].edges.push_back(it->second);
  }
  Model::Edge &merged = model.edges[it->second];
  size_t columns = problem.nodes[edge.to].cost.size();
  for (int i = 0; i < nodeA.labels(); ++i)
    for (int j = 0; j < nodeB.labels(); ++j) {
      int row = nodeA.strategy[i], column = nodeB.strategy[j];
      if (edge.from != a)
        std::swap(row, column);
      merged.cost[i * nodeB.labels() + j] += edge.cost[row * columns + column];
    }
}
} // namespace

Model::Model(const Problem &problem) : limit(problem.memoryLimit) {
  Slots kept(problem);
  slots = kept.count();
  for (const PlanNode &from : problem.nodes) {
    Node &node = nodes.emplace_back();
    for (int i = 0; i < from.strategies(); ++i)
      if ((from.fixed < 0 || from.fixed == i) && from.cost[i] != std::numeric_limits<double>::infinity()) {
        node.strategy.push_back(i);
        node.cost.push_back(from.cost[i]);
      }
    for (const MemoryUse &use : from.uses) {
      Use mapped{kept.at(use.live.begin), kept.at(use.live.end), {}};
      if (mapped.begin == mapped.end)
        continue;
      for (int strategy : node.strategy)
        mapped.bytes.push_back(use.bytes[strategy]);
      node.uses.push_back(std::move(mapped));
    }
  }
  std::map<std::pair<int, int>, int> known;
  for (const PlanEdge &edge : problem.edges)
    addEdge(*this, known, edge, problem);
}

double Model::costOf(const std::vector<int> &labels) const {
  double total = 0;
  for (size_t i = 0; i < nodes.size(); ++i)
    total += nodes[i].cost[labels[i]];
  for (const Edge &edge : edges)
    total += edgeCost(edge, labels[edge.a], labels[edge.b]);
  return total;
}

std::vector<int64_t> Model::usageOf(const std::vector<int> &labels) const {
  std::vector<int64_t> usage(slots, 0);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Use &use : nodes[i].uses)
      for (int t = use.begin; t < use.end; ++t)
        usage[t] += use.bytes[labels[i]];
  return usage;
}

std::vector<int64_t> Model::smallestUsage() const {
  std::vector<int64_t> usage(slots, 0);
  for (const Node &node : nodes)
    for (const Use &use : node.uses)
      for (int t = use.begin; t < use.end; ++t)
        usage[t] += std::ranges::min(use.bytes);
  return usage;
}

std::vector<int> Model::strategiesOf(const std::vector<int> &labels) const {
  std::vector<int> strategies(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    strategies[i] = nodes[i].strategy[labels[i]];
  return strategies;
}

void Model::keepLabels(int index, const std::vector<bool> &keep) {
  Node &node = nodes[index];
  auto filter = [&](auto &list) {
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

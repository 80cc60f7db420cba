#include "SelectLabels.h"

#include <algorithm>
#include <map>

namespace froe {

std::vector<int> kindsOf(const Model &model) {
  std::map<std::vector<const void *>, int> known;
  std::vector<int> kinds;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Model::Node &node = model.nodes[i];
    std::vector<const void *> content;
    for (int e : node.edges) {
      const Model::Edge &edge = model.edges[e];
      const char *table = static_cast<const char *>(edge.cost.identity());
      content.push_back(edge.a == static_cast<int>(i) ? table : table + 1);
    }
    std::ranges::sort(content);
    content.push_back(node.strategy.identity());
    content.push_back(node.cost.identity());
    for (const Model::Use &use : node.uses)
      content.push_back(use.bytes.identity());
    kinds.push_back(known.try_emplace(std::move(content), static_cast<int>(known.size())).first->second);
  }
  return kinds;
}

namespace {
/// Picks entries out of tables, of equal tables and choices once.
class Picker {
public:
  template <typename T> SharedTable<T> pick(const SharedTable<T> &table, const SharedTable<int> &labels) {
    if (table.size() == labels.size())
      return table;
    SharedTable<T> &picked = std::get<std::map<Key, SharedTable<T>>>(lists)[{table.identity(), labels.identity()}];
    if (picked.empty() && labels.size() > 0)
      for (int label : labels)
        picked.edit().push_back(table[label]);
    return picked;
  }

  SharedTable<double> pick(const SharedTable<double> &table, const SharedTable<int> &rows,
                           const SharedTable<int> &columns, size_t allColumns) {
    if (table.size() == rows.size() * columns.size())
      return table;
    SharedTable<double> &picked = matrices[{table.identity(), rows.identity(), columns.identity()}];
    if (picked.empty())
      for (int row : rows)
        for (int column : columns)
          picked.edit().push_back(table[row * allColumns + column]);
    return picked;
  }

private:
  using Key = std::pair<const void *, const void *>;
  std::tuple<std::map<Key, SharedTable<int>>, std::map<Key, SharedTable<double>>, std::map<Key, SharedTable<int64_t>>>
      lists;
  std::map<std::tuple<const void *, const void *, const void *>, SharedTable<double>> matrices;
};
} // namespace

Model selectLabels(const Model &model, const std::vector<int> &kinds, const std::vector<std::vector<bool>> &keep,
                   std::vector<SharedTable<int>> &labels) {
  std::map<std::vector<bool>, SharedTable<int>> known;
  std::vector<SharedTable<int>> ofKind;
  for (const std::vector<bool> &marks : keep) {
    auto [it, isNew] = known.try_emplace(marks);
    if (isNew)
      for (size_t label = 0; label < marks.size(); ++label)
        if (marks[label])
          it->second.edit().push_back(static_cast<int>(label));
    ofKind.push_back(it->second);
  }
  labels.clear();
  for (int kind : kinds)
    labels.push_back(ofKind[kind]);
  Picker picker;
  Model smaller = model;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    Model::Node &node = smaller.nodes[i];
    node.strategy = picker.pick(node.strategy, labels[i]);
    node.cost = picker.pick(node.cost, labels[i]);
    for (Model::Use &use : node.uses)
      use.bytes = picker.pick(use.bytes, labels[i]);
  }
  for (Model::Edge &edge : smaller.edges)
    edge.cost = picker.pick(edge.cost, labels[edge.a], labels[edge.b], model.nodes[edge.b].cost.size());
  return smaller;
}

} // namespace froe

#include "Capacity.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Exclusion {
public:
  explicit Exclusion(Model &model) : model(model) {}

  bool run() {
    for (bool changed = true; changed;) {
      changed = false;
      room.clear();
      smallest = model.smallestUsage();
      if (std::ranges::any_of(smallest, [&](int64_t bytes) { return bytes > model.limit; }))
        return false;
      for (Model::Node &node : model.nodes) {
        if (!excludeOf(node))
          continue;
        changed = true;
        if (std::ranges::none_of(node.cost, [](double cost) { return std::isfinite(cost); }))
          return false;
      }
    }
    return true;
  }

private:
  bool excludeOf(Model::Node &node) {
    std::vector<int> excluded;
    for (const Model::Use &use : node.uses) {
      int64_t most = model.smallestBytes(node, use) + roomIn(use.begin, use.end);
      for (int label = 0; label < node.labels(); ++label)
        if (use.bytes[label] > most && std::isfinite(node.cost[label]))
          excluded.push_back(label);
    }
    if (excluded.empty())
      return false;
    node.cost = without(node.cost, std::move(excluded));
    return true;
  }

  /// What the smallest labels leave at the fullest of the slots.
  int64_t roomIn(int begin, int end) {
    auto [it, isNew] = room.try_emplace({begin, end});
    if (isNew)
      it->second = model.limit - *std::max_element(smallest.begin() + begin, smallest.begin() + end);
    return it->second;
  }

  SharedTable<double> without(const SharedTable<double> &costs, std::vector<int> excluded) {
    auto [it, isNew] = known.try_emplace({costs.identity(), std::move(excluded)});
    if (isNew) {
      std::vector<double> values = costs.get();
      for (int label : it->first.second)
        values[label] = kInfinity;
      it->second = {costs, std::move(values)};
    }
    return it->second.second;
  }

  Model &model;
  std::vector<int64_t> smallest;
  std::map<std::pair<int, int>, int64_t> room;
  /// With the costs before: they must live as long as they are known by their place.
  std::map<std::pair<const void *, std::vector<int>>, std::pair<SharedTable<double>, SharedTable<double>>> known;
};
} // namespace

bool excludeByCapacity(Model &model) { return Exclusion(model).run(); }

} // namespace froe

#include "SlotGroups.h"

#include <map>
#include <numeric>

namespace froe {

std::vector<double> SlotGroups::slotPrices(const std::vector<double> &prices) const {
  std::vector<double> result;
  for (int group : groupOf)
    result.push_back(prices[group] / sizes[group]);
  return result;
}

std::vector<double> SlotGroups::average(const std::vector<int64_t> &usage) const {
  std::vector<double> result(sizes.size(), 0);
  for (size_t t = 0; t < usage.size(); ++t)
    result[groupOf[t]] += static_cast<double>(usage[t]) / sizes[groupOf[t]];
  return result;
}

bool SlotGroups::divide(const std::vector<int64_t> &usage, int64_t limit) {
  std::vector<double> averages = average(usage);
  std::map<int, int> parts; // of each group that is divided: the new one
  for (size_t t = 0; t < usage.size(); ++t) {
    int group = groupOf[t];
    if (usage[t] <= limit || averages[group] > double(limit))
      continue;
    auto [it, isNew] = parts.try_emplace(group, count());
    if (isNew)
      sizes.push_back(0);
    groupOf[t] = it->second;
    --sizes[group];
    ++sizes[it->second];
  }
  return !parts.empty();
}

SlotGroups SlotGroups::single(const Model &model) {
  SlotGroups groups{std::vector<int>(model.slots), std::vector<int>(model.slots, 1)};
  std::iota(groups.groupOf.begin(), groups.groupOf.end(), 0);
  return groups;
}

SlotGroups SlotGroups::alike(const Model &model) {
  // What is live, as a sum of a random number for each table: it changes where uses begin and end.
  std::map<std::vector<int64_t>, uint64_t> numbers;
  std::map<const void *, uint64_t> known;
  std::vector<uint64_t> changes(model.slots + 1, 0);
  for (const Model::Node &node : model.nodes)
    for (const Model::Use &use : node.uses) {
      auto [it, isNew] = known.try_emplace(use.bytes.identity());
      if (isNew)
        it->second = numbers.try_emplace(use.bytes.get(), (numbers.size() + 1) * 0x9e3779b97f4a7c15).first->second;
      uint64_t number = it->second ^ it->second >> 29;
      changes[use.begin] += number;
      changes[use.end] -= number;
    }
  SlotGroups groups;
  std::map<uint64_t, int> groupOf;
  uint64_t live = 0;
  for (int t = 0; t < model.slots; ++t) {
    auto [it, isNew] = groupOf.try_emplace(live += changes[t], groups.count());
    if (isNew)
      groups.sizes.push_back(0);
    groups.groupOf.push_back(it->second);
    ++groups.sizes[it->second];
  }
  return groups;
}

} // namespace froe

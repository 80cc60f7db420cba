#include "LabelMaps.h"

namespace froe::fold {

Id LabelMaps::intern(LabelMap map) {
  auto [it, isNew] = known.try_emplace(map.classOf, static_cast<Id>(maps.size()));
  if (isNew)
    maps.push_back(std::move(map));
  return it->second;
}

const Join &LabelMaps::join(Id one, Id other) {
  auto [it, isNew] = joins.try_emplace({one, other});
  if (!isNew)
    return it->second;
  Join &join = it->second;
  LabelMap joined;
  std::map<std::pair<int, int>, int> indexOf;
  for (std::size_t label = 0; label < maps[one].classOf.size(); ++label) {
    std::pair<int, int> part(maps[one].classOf[label], maps[other].classOf[label]);
    auto [index, first] = indexOf.try_emplace(part, joined.classes);
    if (first) {
      join.parts.push_back(part);
      ++joined.classes;
    }
    joined.classOf.push_back(index->second);
  }
  join.map = intern(std::move(joined));
  return join;
}

} // namespace froe::fold

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace froe::fold {

/// Index of something kept once for equal content: equal ids, equal content.
using Id = int;

/// Labels of a node in classes: what a table says of a label depends on its class alone.
struct LabelMap {
  std::vector<int> classOf; ///< of each label
  int classes = 0;          ///< each has a label
};

/// The classes of two maps of the same node at once.
struct Join {
  Id map;                                 ///< labels are in a class together if both maps say so
  std::vector<std::pair<int, int>> parts; ///< of each of its classes, those of the two maps
};

/// All label maps, each kept once.
class LabelMaps {
public:
  /// Classes are numbered in the order of their first labels.
  Id intern(LabelMap map);
  const LabelMap &operator[](Id id) const { return maps[id]; }
  const Join &join(Id one, Id other);

private:
  std::vector<LabelMap> maps;
  std::map<std::vector<int>, Id> known;
  std::map<std::pair<Id, Id>, Join> joins;
};

} // namespace froe::fold

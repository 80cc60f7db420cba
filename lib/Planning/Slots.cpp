#include "froe/Planning/Slots.h"

#include <map>

namespace froe {

Slots::Slots(std::span<const Use> uses, int64_t limit) {
  struct Boundary {
    int64_t largest = 0; ///< change of the bytes live if all choices are the largest
    bool begins = false, ends = false;
  };
  std::map<int64_t, Boundary> boundaries;
  for (const Use &use : uses) {
    Boundary &begin = boundaries[use.live.begin], &end = boundaries[use.live.end];
    begin.largest += use.largest;
    begin.begins = true;
    end.largest -= use.largest;
    end.ends = true;
  }
  int64_t live = 0;
  for (auto it = boundaries.begin(); it != boundaries.end(); ++it) {
    live += it->second.largest;
    auto next = std::next(it);
    // Where nothing begins, the slot before has all of this one's uses; where nothing ends behind it, the next one has.
    bool covered = !it->second.begins || next == boundaries.end() || !next->second.ends;
    if (!covered && live > limit)
      starts.push_back(it->first);
  }
}

} // namespace froe

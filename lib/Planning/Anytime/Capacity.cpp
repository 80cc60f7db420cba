#include "RangeMinimum.h"
#include "Reduction.h"

#include <algorithm>
#include <cmath>

namespace froe {

namespace {
/// Disjoint segments with the same memory at every slot, without those where it is the same for all labels; that is
/// added to `common` as a difference array.
std::vector<Reduction::Segment> disjoint(std::vector<Reduction::Segment> segments, int labels,
                                         std::vector<int64_t> &common) {
  std::vector<std::pair<int, int>> events; // slot, segment: +i+1 begins, -i-1 ends
  for (int i = 0; i < static_cast<int>(segments.size()); ++i) {
    events.emplace_back(segments[i].begin, i + 1);
    events.emplace_back(segments[i].end, -i - 1);
  }
  std::ranges::sort(events);
  std::vector<Reduction::Segment> result;
  std::vector<int64_t> now(labels, 0);
  for (size_t i = 0; i < events.size();) {
    int slot = events[i].first;
    for (; i < events.size() && events[i].first == slot; ++i) {
      int which = std::abs(events[i].second) - 1, sign = events[i].second > 0 ? 1 : -1;
      for (int k = 0; k < labels; ++k)
        now[k] += sign * segments[which].bytes[k];
    }
    if (i == events.size())
      break;
    int64_t least = std::ranges::min(now), most = std::ranges::max(now);
    common[slot] += least;
    common[events[i].first] -= least;
    if (least == most)
      continue;
    std::vector<int64_t> bytes = now;
    for (int64_t &value : bytes)
      value -= least;
    if (!result.empty() && result.back().end == slot && result.back().bytes == bytes)
      result.back().end = events[i].first;
    else
      result.push_back({slot, events[i].first, std::move(bytes)});
  }
  return result;
}
} // namespace

/// Takes from the room what every label of a node needs. False if that leaves less than nothing.
bool Reduction::normalise() {
  std::vector<int64_t> common(room.size() + 1, 0);
  for (Node &node : nodes)
    if (node.alive && !node.segments.empty())
      node.segments = disjoint(std::move(node.segments), node.labels(), common);
  int64_t taken = 0;
  bool fits = true;
  for (size_t t = 0; t < room.size(); ++t)
    fits &= (room[t] -= taken += common[t]) >= 0;
  if (fits)
    dropSlots();
  return fits;
}

/// Drops slots where all nodes' largest memory fits, and those that a neighbouring slot covers: nobody needs less
/// there, and there is no more room. (Room differs by slot, so covering the live nodes alone is not enough.)
void Reduction::dropSlots() {
  int count = static_cast<int>(room.size());
  std::vector<int64_t> most(count + 1, 0);
  std::vector<bool> grows(count + 1, true), shrinks(count + 1, true); // from the slot before, for all nodes
  for (const Node &node : nodes)
    for (size_t i = 0; i < node.segments.size(); ++i) {
      const Segment &segment = node.segments[i];
      most[segment.begin] += std::ranges::max(segment.bytes);
      most[segment.end] -= std::ranges::max(segment.bytes);
      if (i > 0 && node.segments[i - 1].end == segment.begin) {
        for (int k = 0; k < node.labels(); ++k) {
          int64_t step = segment.bytes[k] - node.segments[i - 1].bytes[k];
          grows[segment.begin] = grows[segment.begin] && step >= 0;
          shrinks[segment.begin] = shrinks[segment.begin] && step <= 0;
        }
      } else {
        shrinks[segment.begin] = false;
      }
      if (i + 1 == node.segments.size() || node.segments[i + 1].begin != segment.end)
        grows[segment.end] = false;
    }
  std::vector<int> kept;
  bool allGrow = true, allShrink = true; // from the slot kept last to this one
  int64_t live = 0;
  for (int t = 0; t < count; ++t) {
    live += most[t];
    allGrow = allGrow && grows[t];
    allShrink = allShrink && shrinks[t];
    if (live <= room[t] || (!kept.empty() && allShrink && room[t] >= room[kept.back()]))
      continue;
    if (!kept.empty() && allGrow && room[kept.back()] >= room[t])
      kept.pop_back();
    kept.push_back(t);
    allGrow = allShrink = true;
  }
  auto slotOf = [&](int t) { return static_cast<int>(std::ranges::lower_bound(kept, t) - kept.begin()); };
  for (Node &node : nodes) {
    for (Segment &segment : node.segments)
      segment = {slotOf(segment.begin), slotOf(segment.end), std::move(segment.bytes)};
    std::erase_if(node.segments, [](const Segment &segment) { return segment.begin == segment.end; });
  }
  for (size_t t = 0; t < kept.size(); ++t)
    room[t] = room[kept[t]];
  room.resize(kept.size());
}

/// Drops labels that do not fit even where all other nodes take their smallest.
bool Reduction::prune(bool &changed) {
  if (room.empty())
    return true;
  RangeMinimum least(room);
  for (int number = 0; number < static_cast<int>(nodes.size()); ++number) {
    const Node &node = nodes[number];
    std::vector<bool> keep(node.labels(), true);
    bool drops = false;
    for (const Segment &segment : node.segments) {
      int64_t free = least(segment.begin, segment.end);
      for (int k = 0; k < node.labels(); ++k)
        if (segment.bytes[k] > free) {
          keep[k] = false;
          drops = true;
        }
    }
    if (drops && !keepLabels(number, keep))
      return false;
    changed |= drops;
  }
  return true;
}

} // namespace froe

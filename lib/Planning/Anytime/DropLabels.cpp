#include "DropLabels.h"

#include "RangeMinimum.h"

#include <cmath>

namespace froe {

namespace {
constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

/// The least memory of each segment's remaining labels; kNone where there are none.
std::vector<int64_t> leastBytes(const Core &core, const std::vector<double> &own) {
  std::vector<int64_t> least(core.segments.size(), kNone);
  for (const Core::Node &node : core.nodes)
    for (int s = node.firstSegment; s < node.endSegment; ++s)
      for (int k = 0; k < node.labels; ++k)
        if (own[node.cost + k] < core.excluded)
          least[s] = std::min(least[s], core.bytes[core.segments[s].bytes + k]);
  return least;
}

/// What is left of each slot's room beside them.
std::vector<int64_t> roomBeside(const Core &core, const std::vector<int64_t> &least) {
  std::vector<int64_t> change(core.slots() + 1, 0), room = core.room;
  for (size_t s = 0; s < least.size(); ++s) {
    change[core.segments[s].begin] += least[s];
    change[core.segments[s].end] -= least[s];
  }
  int64_t used = 0;
  for (int t = 0; t < core.slots(); ++t)
    room[t] -= used += change[t];
  return room;
}
} // namespace

void dropDear(const Core &core, const std::vector<double> &reduced, double floor, double known,
              std::vector<double> &own) {
  double most = known - floor - (core.integral ? 1 : 0) + 1e-7 * std::abs(known);
  for (size_t k = 0; k < own.size(); ++k)
    if (reduced[k] > most)
      own[k] = core.excluded;
}

void dropLarge(const Core &core, std::vector<double> &own) {
  std::vector<int64_t> least = leastBytes(core, own);
  if (core.segments.empty() || std::ranges::find(least, kNone) != least.end())
    return;
  RangeMinimum room(roomBeside(core, least));
  for (const Core::Node &node : core.nodes)
    for (int s = node.firstSegment; s < node.endSegment; ++s) {
      int64_t most = least[s] + room(core.segments[s].begin, core.segments[s].end);
      for (int k = 0; k < node.labels; ++k)
        if (core.bytes[core.segments[s].bytes + k] > most)
          own[node.cost + k] = core.excluded;
    }
}

} // namespace froe

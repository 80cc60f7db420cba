#include "froe/Sharding/ReshardVersions.h"

#include <algorithm>

namespace froe {

int ReshardVersions::find(const Sharding &sharding) const {
  auto same = std::ranges::find(versions, sharding, &Version::sharding);
  return same == versions.end() ? -1 : static_cast<int>(same - versions.begin());
}

bool ReshardVersions::connect(std::vector<Sharding> targets, std::span<const int64_t> shape, int64_t elementBytes,
                              ReshardPlanner &planner) {
  while (true) {
    std::erase_if(targets, [&](const Sharding &target) { return find(target) >= 0; });
    if (targets.empty())
      return true;
    const PricedReshard *best = nullptr;
    int from = -1;
    for (int v = 0; v < size(); ++v)
      for (const Sharding &target : targets) {
        const PricedReshard *priced = planner.plan(shape, elementBytes, versions[v].sharding, target);
        if (priced && (!best || priced->cost < best->cost)) {
          best = priced;
          from = v;
        }
      }
    if (!best)
      return false;
    addPath(from, best->path);
  }
}

void ReshardVersions::addPath(int from, const ReshardPath &path) {
  for (const ReshardStep &step : path.steps) {
    int known = find(step.result);
    if (known < 0) {
      known = size();
      versions.push_back({step.result, from, step});
    }
    from = known;
  }
}

} // namespace froe

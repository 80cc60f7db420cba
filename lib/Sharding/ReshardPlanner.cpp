#include "froe/Sharding/ReshardPlanner.h"

#include <limits>

namespace froe {

namespace {
void append(std::string &key, int64_t value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); }

void append(std::string &key, const Sharding &sharding) {
  auto appendList = [&](const AxisList &list) {
    for (AxisIndex axis : list)
      key.push_back(static_cast<char>(axis + 1));
    key.push_back(0);
  };
  for (const AxisList &list : sharding.dims)
    appendList(list);
  appendList(sharding.partial);
  key.push_back(static_cast<char>(sharding.partialKind));
}

std::string keyOf(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Sharding &to) {
  std::string key;
  key.reserve(128);
  append(key, elementBytes);
  append(key, static_cast<int64_t>(shape.size()));
  for (int64_t size : shape)
    append(key, size);
  append(key, from);
  append(key, to);
  return key;
}
} // namespace

const PricedReshard *ReshardPlanner::plan(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                          const Sharding &to) {
  auto [it, isNew] = known.try_emplace(keyOf(shape, elementBytes, from, to));
  if (isNew)
    if (std::optional<ReshardPath> path = planReshard(shape, elementBytes, from, to, mesh, stepCost)) {
      double total = 0;
      int64_t before = localBytes(shape, elementBytes, from, mesh);
      for (const ReshardStep &step : path->steps) {
        int64_t after = localBytes(shape, elementBytes, step.result, mesh);
        total += stepCost(step, before, after);
        before = after;
      }
      it->second = PricedReshard{std::move(*path), total};
    }
  return it->second ? &*it->second : nullptr;
}

double ReshardPlanner::cost(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                            const Sharding &to) {
  if (from == to)
    return 0;
  const PricedReshard *priced = plan(shape, elementBytes, from, to);
  return priced ? priced->cost : std::numeric_limits<double>::infinity();
}

} // namespace froe

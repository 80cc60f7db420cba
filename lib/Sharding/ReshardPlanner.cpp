#include "froe/Sharding/ReshardPlanner.h"

#include "ReshardTree.h"

namespace froe {

namespace {
void append(std::string &key, int64_t value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); }

void append(std::string &key, const Sharding &sharding) {
  append(key, static_cast<int64_t>(Layout::of(sharding).key()));
  key.push_back(static_cast<char>(sharding.partialKind));
}

std::string keyOf(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from) {
  std::string key;
  append(key, elementBytes);
  append(key, static_cast<int64_t>(shape.size()));
  for (int64_t size : shape)
    append(key, size);
  append(key, from);
  return key;
}
} // namespace

const ReshardTree &ReshardPlanner::treeFrom(const std::string &key, std::span<const int64_t> shape,
                                            int64_t elementBytes, const Sharding &from) {
  std::shared_ptr<const ReshardTree> &tree = trees[key];
  if (!tree)
    tree = std::make_shared<ReshardTree>(ReshardTree::grow(shape, elementBytes, from, mesh, stepCost));
  return *tree;
}

const PricedReshard *ReshardPlanner::plan(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                          const Sharding &to) {
  std::string key = keyOf(shape, elementBytes, from), pair = key;
  append(pair, to);
  auto [it, isNew] = known.try_emplace(std::move(pair));
  if (isNew) {
    const ReshardTree &tree = treeFrom(key, shape, elementBytes, from);
    if (std::optional<ReshardPath> path = tree.pathTo(to))
      it->second = PricedReshard{std::move(*path), tree.costTo(to)};
  }
  return it->second ? &*it->second : nullptr;
}

double ReshardPlanner::cost(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                            const Sharding &to) {
  return from == to ? 0 : treeFrom(keyOf(shape, elementBytes, from), shape, elementBytes, from).costTo(to);
}

} // namespace froe

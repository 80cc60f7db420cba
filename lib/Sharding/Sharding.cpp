#include "froe/Sharding/Sharding.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

namespace {
constexpr std::string_view kKindNames[] = {"sum", "product", "max", "min", "and", "or"};

std::string axisNames(const AxisList &list, const Mesh &mesh) {
  std::vector<std::string> names;
  for (AxisIndex axis : list)
    names.push_back(fmt::format("\"{}\"", mesh.axes[axis].name));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}
} // namespace

std::string_view name(ReduceKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::optional<ReduceKind> parseReduceKind(std::string_view text) {
  for (ReduceKind kind : kReduceKinds)
    if (name(kind) == text)
      return kind;
  return std::nullopt;
}

bool Sharding::isReplicated() const {
  return partial.empty() && std::ranges::all_of(dims, [](const AxisList &list) { return list.empty(); });
}

std::optional<std::string> Sharding::check(const Mesh &mesh, int64_t rank) const {
  if (static_cast<int64_t>(dims.size()) != rank)
    return fmt::format("expected a sharding of {} dims, found {}", rank, dims.size());
  std::vector<bool> used(mesh.axes.size());
  auto use = [&](const AxisList &list) -> std::optional<std::string> {
    for (AxisIndex axis : list) {
      if (axis < 0 || axis >= mesh.axisCount())
        return fmt::format("axis {} is not one of the {} axes of the mesh", axis, mesh.axisCount());
      if (used[axis])
        return fmt::format("axis '{}' is used twice", mesh.axes[axis].name);
      used[axis] = true;
    }
    return std::nullopt;
  };
  for (const AxisList &list : dims)
    if (auto why = use(list))
      return why;
  if (auto why = use(partial))
    return why;
  if (!std::ranges::is_sorted(partial))
    return "expected partial axes in the order of the mesh";
  return std::nullopt;
}

std::string Sharding::str(const Mesh &mesh) const {
  std::vector<std::string> lists;
  for (const AxisList &list : dims)
    lists.push_back(axisNames(list, mesh));
  std::string text = fmt::format("[{}]", fmt::join(lists, ", "));
  if (isPartial())
    text += fmt::format(", partial<{}>{}", name(partialKind), axisNames(partial, mesh));
  return text;
}

int64_t localSize(int64_t size, int64_t blocks) { return (size + blocks - 1) / blocks; }

std::vector<int64_t> localShape(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh) {
  assert(shape.size() == sharding.dims.size() && "the sharding is of another rank");
  std::vector<int64_t> local(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    local[d] = localSize(shape[d], mesh.blocks(sharding.dims[d]));
  return local;
}

std::vector<Interval> shard(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh,
                            int64_t device) {
  std::vector<int64_t> local = localShape(shape, sharding, mesh);
  std::vector<Interval> intervals(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t begin = std::min(shape[d], mesh.blockIndex(device, sharding.dims[d]) * local[d]);
    intervals[d] = {begin, std::min(shape[d], begin + local[d])};
  }
  return intervals;
}

bool isUneven(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh, int64_t dim) {
  return shape[dim] % mesh.blocks(sharding.dims[dim]) != 0;
}

} // namespace froe

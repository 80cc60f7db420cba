#include "froe/Sharding/ReshardPath.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

namespace {
constexpr std::string_view kStepNames[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "slice"};
}

std::string_view name(ReshardStep::Kind kind) { return kStepNames[static_cast<size_t>(kind)]; }

std::string ReshardStep::str(const Mesh &mesh) const {
  std::vector<std::string_view> names;
  for (AxisIndex axis : axes)
    names.push_back(mesh.axes[axis].name);
  std::string text = fmt::format("{}({}", name(kind), fmt::join(names, " "));
  if (kind == Kind::AllToAll)
    return text + fmt::format(": dim {} -> dim {})", fromDim, dim);
  return dim < 0 ? text + ")" : text + fmt::format(": dim {})", dim);
}

std::string ReshardPath::str(const Mesh &mesh) const {
  std::vector<std::string> parts;
  for (const ReshardStep &step : steps)
    parts.push_back(step.str(mesh));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

bool blocksNest(int64_t size, int64_t blocks, int64_t parts) {
  return blocks == 1 || localSize(size, blocks) == parts * localSize(size, blocks * parts);
}

int64_t localBytes(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &sharding, const Mesh &mesh) {
  int64_t bytes = elementBytes;
  for (size_t d = 0; d < shape.size(); ++d)
    bytes *= localSize(shape[d], mesh.blocks(sharding.dims[d]));
  return bytes;
}

int64_t bytesSentIn(const ReshardStep &step, const Mesh &mesh, int64_t localBytesBefore, int64_t localBytesAfter) {
  int64_t n = mesh.blocks(step.axes);
  switch (step.kind) {
  case ReshardStep::Kind::AllGather:
    return (n - 1) * localBytesBefore;
  case ReshardStep::Kind::AllReduce:
    return 2 * (n - 1) * localBytesBefore / n;
  case ReshardStep::Kind::ReduceScatter:
    return (n - 1) * localBytesAfter;
  case ReshardStep::Kind::AllToAll:
    return (n - 1) * localBytesBefore / n;
  case ReshardStep::Kind::Slice:
    return 0;
  }
  return 0;
}

int64_t ReshardPath::bytesSent(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                               const Mesh &mesh) const {
  int64_t total = 0, before = localBytes(shape, elementBytes, from, mesh);
  for (const ReshardStep &step : steps) {
    int64_t after = localBytes(shape, elementBytes, step.result, mesh);
    total += bytesSentIn(step, mesh, before, after);
    before = after;
  }
  return total;
}

} // namespace froe

#include "froe/Sharding/ReshardPath.h"

#include "ReshardTree.h"

namespace froe {

std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh, const StepCost &cost) {
  return ReshardTree::grow(shape, elementBytes, from, mesh, cost, &to).pathTo(to);
}

std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh) {
  // The constant keeps tiny tensors from taking long ways; a cut without communication costs next to nothing.
  constexpr double kBytesPerCollective = 256, kBytesPerSlice = 1;
  return planReshard(shape, elementBytes, from, to, mesh, [&](const ReshardStep &step, int64_t before, int64_t after) {
    double fixed = step.kind == ReshardStep::Kind::Slice ? kBytesPerSlice : kBytesPerCollective;
    return fixed + static_cast<double>(bytesSentIn(step, mesh, before, after));
  });
}

} // namespace froe

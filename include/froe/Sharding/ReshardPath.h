#pragma once

#include "froe/Sharding/Sharding.h"

#include <functional>
#include <optional>
#include <span>

namespace froe {

/// One collective, or local cut, on the way from one sharding to another.
struct ReshardStep {
  enum class Kind {
    AllGather,     ///< dim `dim` loses its minor axes `axes`: every device receives the blocks of its group
    AllReduce,     ///< partial values over `axes` are combined, every device receives the result
    ReduceScatter, ///< partial values over `axes` are combined, dim `dim` gains `axes` as its minor axes
    AllToAll,      ///< `axes` move from being the minor axes of dim `fromDim` to being the minor axes of dim `dim`
    Slice,         ///< dim `dim` gains `axes` as its minor axes: each device keeps its block; no communication
  };
  Kind kind;
  AxisList axes;
  int dim = -1;
  int fromDim = -1;
  ReduceKind reduce = ReduceKind::Sum;
  Sharding result; ///< the sharding after this step

  bool operator==(const ReshardStep &) const = default;
  /// `all_to_all(x: dim 0 -> dim 1)`, `reduce_scatter(y: dim 0)`.
  std::string str(const Mesh &mesh) const;
};
std::string_view name(ReshardStep::Kind kind);

/// The cheapest known way to turn one sharding of a tensor into another.
///
///   mesh x=2, y=4;  from [{"x"}, {}]  to [{}, {"y"}]
///   steps: all_gather(x: dim 0), slice(y: dim 1)  or  slice(y: dim 1), all_gather(x: dim 0): the second moves a
///   quarter of the bytes
///
/// Uneven dims: a step that leaves a dim cut by several axes unevenly, or takes only some of them away, is legal only
/// where the blocks nest (the size divides); otherwise the dim is gathered whole and cut again.
struct ReshardPath {
  std::vector<ReshardStep> steps;

  /// Bytes that one device sends in all steps (ring formulas: all-gather and reduce-scatter (n-1)/n of the gathered
  /// bytes, all-reduce twice that, all-to-all (n-1)/n of the local bytes).
  int64_t bytesSent(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Mesh &mesh) const;
  /// The steps in order, separated by commas; `none` where there is nothing to do.
  std::string str(const Mesh &mesh) const;
};

/// Whether cutting a dim of `size`, already in `blocks` blocks, into `parts` times as many leaves every new block
/// inside its old one, at position (index within the group) * (new block size). Only then a dim gains or loses minor
/// axes without moving anything else.
bool blocksNest(int64_t size, int64_t blocks, int64_t parts);
/// Bytes that one device sends in a step (see ReshardPath::bytesSent); local bytes as stored, padding included.
int64_t bytesSentIn(const ReshardStep &step, const Mesh &mesh, int64_t localBytesBefore, int64_t localBytesAfter);
/// Bytes that every device stores.
int64_t localBytes(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &sharding, const Mesh &mesh);

/// Seconds that one step takes; `bytes` as each formula of a collective counts them (see Cost/Collectives.h).
using StepCost = std::function<double(const ReshardStep &step, int64_t localBytesBefore, int64_t localBytesAfter)>;
/// The same of what costs depend on: bit i of `axes` stands for axis i of the mesh.
using MoveCost =
    std::function<double(ReshardStep::Kind kind, unsigned axes, int64_t localBytesBefore, int64_t localBytesAfter)>;

/// Always possible where `to` has no partial axis that `from` lacks, and partial values stay of one kind; nullopt
/// otherwise. Finds the cheapest sequence of steps under `cost` by Dijkstra's search over all shardings; steps on the
/// way may cut by any axis of the mesh, also by ones that neither end uses. Ties go to fewer steps, then to the order
/// of steps.
std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh, const StepCost &cost);
/// The same under a cost of one per byte sent plus a small constant per step.
std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh);

} // namespace froe

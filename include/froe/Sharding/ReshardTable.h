#pragma once

#include "froe/Sharding/KeyIndex.h"
#include "froe/Sharding/ReshardPath.h"

namespace froe {

/// What planReshard's paths cost for tensors of one shape, between all pairs of shardings at once: many times faster
/// than one search after the other.
class ReshardTable {
public:
  /// `mesh` and `cost` must live as long.
  ReshardTable(std::span<const int64_t> shape, int64_t elementBytes, const Mesh &mesh, const MoveCost &cost)
      : shape(shape.begin(), shape.end()), elementBytes(elementBytes), mesh(mesh), cost(cost) {}

  /// Works out the ways from these shardings, and from those of earlier calls; best called once with all of them.
  void prepare(std::span<const Sharding *const> from);
  /// Seconds from each of `from` to each of `to`, row-major; infinity where there is no way. What is not prepared is.
  std::vector<double> between(std::span<const Sharding *const> from, std::span<const Sharding *const> to);

private:
  std::vector<int64_t> shape;
  int64_t elementBytes;
  const Mesh &mesh;
  const MoveCost &cost;
  KeyIndex layouts;           ///< the starts first
  int starts = 0;             ///< how many of them are starts
  std::vector<float> seconds; ///< by strip of starts, layout, start in the strip; costs are no more exact
};

} // namespace froe

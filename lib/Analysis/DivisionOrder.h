#pragma once

#include "StagePlanner.h"

namespace froe {

/// Tells which divisions are likely to be good by what coarse ones cost. Only the order of a search depends on it.
class DivisionOrder {
public:
  explicit DivisionOrder(const Cluster &cluster) : cluster(cluster) {}

  /// The mesh of two axes to try for stages of so many devices where only one is tried: what lies inside nodes is one
  /// axis, as well as it divides.
  Mesh likelyMesh(int64_t devices) const;
  /// How far the last axis is from the devices of a node: 0 where it is the node, else a factor's logarithm.
  double distanceFromNode(const Mesh &mesh) const;

  void add(const Division &coarse, double seconds) { known.emplace_back(coarse, seconds); }
  /// About what a division costs, in order: those of stages and microbatches that were tried, where axes that go
  /// together make a mesh that was tried; infinity where none was.
  double expectedSeconds(const Division &division) const;

private:
  const Cluster &cluster;
  std::vector<std::pair<Division, double>> known;
};

} // namespace froe

#pragma once

#include "froe/Cost/Cluster.h"
#include "froe/Sharding/Mesh.h"

namespace froe {

/// All meshes of `devices` devices with at most `maxAxes` axes (at most 4), each of size 2 at least (one axis of size 1
/// for one device), that differ to the cluster: the order of axes matters only for which of them lie inside a node and
/// which across, so of those with equal `levelParts` of their axes the first one stands for all. Fewest axes first.
///
///   h100:8x1, 3 axes: 8; 2x4, 4x2; 2x2x2    1,024 devices in nodes of 8: 36 of 46
std::vector<Mesh> meshesFor(const Cluster &cluster, int64_t devices, int maxAxes);

} // namespace froe

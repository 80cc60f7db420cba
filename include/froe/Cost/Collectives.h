#pragma once

#include "froe/Cost/Cluster.h"
#include "froe/Sharding/ReshardPath.h"

namespace froe {

/// Seconds that one collective takes in a group of `groupSize` devices, each of which sends `bytesSent` (as bytesSentIn
/// counts them). Where links are shared, all `cluster.devices` are taken to communicate at once, as they do in an SPMD
/// program. Slice: see stepSeconds.
double collectiveSeconds(const Cluster &cluster, ReshardStep::Kind kind, int64_t bytesSent, int64_t groupSize);

/// Seconds from a send to the end of its receive.
double sendSeconds(const Cluster &cluster, int64_t bytes);

/// Seconds that a step takes: the collective, or for a slice the copy of the part that is kept. Nothing where all axes
/// have size 1.
double stepSeconds(const Cluster &cluster, const Mesh &mesh, const ReshardStep &step, int64_t localBytesBefore,
                   int64_t localBytesAfter);

/// `stepSeconds` as a cost for planReshard and ReshardPlanner; keeps copies of both arguments.
StepCost stepCost(const Cluster &cluster, const Mesh &mesh);

} // namespace froe

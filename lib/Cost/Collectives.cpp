#include "froe/Cost/Collectives.h"

#include "froe/Cost/Compute.h"

#include <algorithm>

namespace froe {

namespace {
const CollectiveRates &ratesOf(const Cluster &cluster, ReshardStep::Kind kind) {
  switch (kind) {
  case ReshardStep::Kind::AllReduce:
    return cluster.allReduce;
  case ReshardStep::Kind::ReduceScatter:
    return cluster.reduceScatter;
  case ReshardStep::Kind::AllToAll:
    return cluster.allToAll;
  case ReshardStep::Kind::AllGather:
  case ReshardStep::Kind::Slice:
    break;
  }
  return cluster.allGather;
}

double transferSeconds(const CollectiveRates &rates, int64_t bytes) {
  int64_t cached = std::min(bytes, rates.cacheBytes);
  return double(cached) / rates.cacheBytesPerSecond + double(bytes - cached) / rates.bytesPerSecond;
}

/// How much longer a transfer takes because others use the same memory.
double contention(const Cluster &cluster, int64_t groupSize) {
  return cluster.linksShared ? std::max<double>(1, double(std::max(cluster.devices, groupSize)) / 2) : 1;
}
} // namespace

double collectiveSeconds(const Cluster &cluster, ReshardStep::Kind kind, int64_t bytesSent, int64_t groupSize) {
  if (groupSize < 2 || kind == ReshardStep::Kind::Slice)
    return 0;
  const CollectiveRates &rates = ratesOf(cluster, kind);
  return rates.latencySeconds + double(groupSize - 2) * rates.latencySecondsPerRank +
         transferSeconds(rates, bytesSent) * contention(cluster, groupSize);
}

double sendSeconds(const Cluster &cluster, int64_t bytes) {
  return cluster.sendRecv.latencySeconds + transferSeconds(cluster.sendRecv, bytes) * contention(cluster, 2);
}

double stepSeconds(const Cluster &cluster, const Mesh &mesh, const ReshardStep &step, int64_t localBytesBefore,
                   int64_t localBytesAfter) {
  int64_t groupSize = mesh.blocks(step.axes);
  if (groupSize == 1)
    return 0;
  if (step.kind == ReshardStep::Kind::Slice)
    return cluster.device.kernelOverheadSeconds + streamSeconds(cluster, 2 * localBytesAfter);
  return collectiveSeconds(cluster, step.kind, bytesSentIn(step, mesh, localBytesBefore, localBytesAfter), groupSize);
}

StepCost stepCost(const Cluster &cluster, const Mesh &mesh) {
  return [cluster = cluster, mesh = mesh](const ReshardStep &step, int64_t before, int64_t after) {
    return stepSeconds(cluster, mesh, step, before, after);
  };
}

} // namespace froe

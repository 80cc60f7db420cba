#pragma once

#include "froe/Cost/Cluster.h"
#include "froe/Sharding/ReshardPath.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace froe {

/// How the devices of one group lie: `parts[l]` of them (or of their groups of the level below) meet in each group of
/// level l, innermost first; the product is the size of the group. Measured links inside a host are a level of their
/// own, before `cluster.levels`.
///
///   h100:8x4, mesh 4x8 (x, y): y {8, 1}, x {1, 4}, both {8, 4};  mesh 8x4: y {4, 1}, x {2, 4}
///
/// Where groups straddle nodes, as those of mesh 4x6 on nodes of 8, the parts are those that all groups have at least
/// together: {2, 3} for y.
std::vector<int64_t> levelParts(const Cluster &cluster, const Mesh &mesh, const AxisList &axes);

/// Seconds of every step on one mesh, from a table: searches ask millions of times.
///
/// A collective over several axes is one collective over all their devices. On a hierarchy it goes level by level, each
/// moving only what it must: n = p_1 p_2 ... devices, innermost first, P_l = p_1 ... p_l, b local bytes,
///
///   all-gather      (p_l - 1) n / P_l * b before    a ring in each level, outermost first
///   reduce-scatter  (p_l - 1) n / P_l * b after     its mirror image
///   all-reduce      2 (p_l - 1) / p_l * b / P_(l-1) reduce-scatter inwards out, all-gather back (Rabenseifner);
///                   (1 + 1 / p_l) * b / P_(l-1) at the outermost level if its network adds up (as NVLink SHARP does)
///   all-to-all      (P_l - P_(l-1)) / n * b         straight to each device
///
/// bytes sent in level l, at the level's rate, plus the latency of each level used, by the quickest of its algorithms
/// (see LinkAlgorithm). The terms add up: levels do not overlap. Measured links have their own formula (see
/// CollectiveRates).
class StepTimes {
public:
  StepTimes(const Cluster &cluster, const Mesh &mesh);

  /// Bit i of `axes` stands for axis i of the mesh. Nothing where all axes have size 1.
  double seconds(ReshardStep::Kind kind, unsigned axes, double localBytesBefore, double localBytesAfter) const {
    const Terms &terms = table[size_t(kind)][axes];
    double bytes =
        double(kind == ReshardStep::Kind::ReduceScatter || kind == ReshardStep::Kind::Slice ? localBytesAfter
                                                                                            : localBytesBefore);
    double cached = std::min(bytes, terms.cachedBytes);
    double quickest = terms.ways.empty() ? 0 : std::numeric_limits<double>::max();
    for (const Line &way : terms.ways)
      quickest = std::min(quickest, way.at(bytes));
    return quickest + cached * terms.secondsPerCachedByte + (bytes - cached) * terms.secondsPerByte;
  }
  double seconds(const ReshardStep &step, int64_t localBytesBefore, int64_t localBytesAfter) const {
    unsigned axes = 0;
    for (AxisIndex axis : step.axes)
      axes |= 1u << axis;
    return seconds(step.kind, axes, double(localBytesBefore), double(localBytesAfter));
  }

  struct Line {
    double seconds = 0, secondsPerByte = 0;
    double at(double bytes) const { return seconds + bytes * secondsPerByte; }
  };

private:
  /// The quickest way over the levels of links, and the first `cachedBytes` at one rate, the rest at another.
  struct Terms {
    std::vector<Line> ways;
    double cachedBytes = 0, secondsPerCachedByte = 0, secondsPerByte = 0;
  };
  static constexpr size_t kKinds = 5, kAxisSets = 16;

  static Terms termsOf(const Cluster &cluster, ReshardStep::Kind kind, const std::vector<int64_t> &parts);

  std::array<std::array<Terms, kAxisSets>, kKinds> table;
};

/// Seconds that one collective takes among the first `groupSize` devices of the cluster, each of which sends
/// `bytesSent` (as bytesSentIn counts them). Where links are shared, all `cluster.devices` are taken to communicate at
/// once, as they do in an SPMD program. Slice: see stepSeconds.
double collectiveSeconds(const Cluster &cluster, ReshardStep::Kind kind, int64_t bytesSent, int64_t groupSize);

/// Seconds from a send to the end of its receive, between two devices given by their numbers.
double sendSeconds(const Cluster &cluster, int64_t bytes, int64_t from = 0, int64_t to = 1);

/// Seconds that a step takes: the collective, or for a slice the copy of the part that is kept. Nothing where all axes
/// have size 1. For many questions keep a StepTimes.
double stepSeconds(const Cluster &cluster, const Mesh &mesh, const ReshardStep &step, int64_t localBytesBefore,
                   int64_t localBytesAfter);

/// StepTimes as a cost for planReshard and ReshardPlanner; keeps what it needs of both arguments.
StepCost stepCost(const Cluster &cluster, const Mesh &mesh);
/// The same for a ReshardTable.
MoveCost moveCost(const Cluster &cluster, const Mesh &mesh);

} // namespace froe

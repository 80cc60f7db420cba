// What this machine does in how much time: the numbers behind `froe calibrate`. Everything here is measured, nothing is
// looked up by the processor's name.
#pragma once

#include "froe_rt.h"
#include "runtime/launch/Launch.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <string_view>
#include <vector>

namespace froe {

/// What is being measured, and how much of all of it is done, in [0, 1].
using MeasureProgress = std::function<void(std::string_view what, double done)>;

/// Bytes per second of loops over long arrays. A copy counts what it reads and what it writes.
struct StreamRates {
  double read = 0, copy = 0;
};

/// Products of `rows` rows by a packed weight, with a bias as models have it: once with a small weight that stays in
/// cache, once with large ones that come from memory one after the other.
struct MatmulSample {
  froe_type type;
  int64_t rows;
  int64_t cachedSide, streamedSide; // of the square weights
  double cachedSeconds, streamedSeconds;
};

struct DeviceMeasure {
  int threads = 1;                  // of a rank: all rates but the host's are theirs
  StreamRates memory, cache;        // far beyond the caches; in the second-level cache
  int64_t cacheBytes = 0;           // up to here copies run nearer to the cache's rate than to the memory's
  double geluPerSecond = 0;         // elements whose GELU is computed behind a product, in f32
  std::vector<MatmulSample> matmul; // by type, then by rows
};

/// All times are medians of repeats that are spread over the whole measurement: what a run meets as well, without the
/// outliers of a busy machine. Takes about 8 seconds.
DeviceMeasure measureDevice(int threads, const MeasureProgress &progress);

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll };

struct CollectiveSample {
  CollectiveKind kind;
  int ranks;
  int64_t bytes;     // of the whole tensor, f32
  int64_t bytesSent; // what the others receive from one rank
  double seconds;    // median
};

struct RankMeasure {
  int hostRanks = 1;                // as many as this process may use cores
  double hostBytesPerSecond = 0;    // that all of them together read from memory
  double kernelOverheadSeconds = 0; // of a kernel that does nothing, on all threads of its rank
  std::vector<CollectiveSample> collectives;
};

/// Starts groups of 2 and 4 ranks of this process (which must not have other threads) and measures collectives of
/// 1 KiB to 16 MiB; then one rank for each core, all of which read memory at once. Takes about 6 seconds.
std::expected<RankMeasure, Failure> measureRanks(int threads, const MeasureProgress &progress);

/// The line that collectives of one kind follow: seconds = latency + (ranks - 2) latencyPerRank + bytesSent / rate,
/// with one rate for the first `cacheBytes` bytes and another one for the rest.
struct CollectiveFit {
  double latencySeconds = 0, latencySecondsPerRank = 0;
  double bytesPerSecond = 0, cacheBytesPerSecond = 0;
  int64_t cacheBytes = 0;
};
CollectiveFit fit(const std::vector<CollectiveSample> &samples, CollectiveKind kind);

} // namespace froe

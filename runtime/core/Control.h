// The memory that the launcher and all ranks of a run share: what to do, how far each rank is, why the run failed.
//
// One memfd holds, one after the other: the header, a record per rank, barriers, latencies, the places of the global
// tensors, step names, trace rings, and every rank's arena. All of it is mapped by all; pages that nobody touches cost
// nothing. A second memfd holds the global inputs and outputs. Both vanish with the last process: there is nothing to
// clean up.
#pragma once

#include "froe_device.h"
#include "froe_rt.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace froe::rt {

inline constexpr uint64_t kControlMagic = 0x32306c7274656f72; // changes with the layout
inline constexpr int kAxisSubsets = 1 << FROE_MAX_AXES;
inline constexpr int kMaxRanks = 1024;

/// All words start as 0, which is what a fresh memfd holds.
struct alignas(64) BarrierWords {
  std::atomic<uint32_t> arrived;
  std::atomic<uint32_t> generation;
  std::atomic<uint32_t> sleepers;
};

/// What a rank is about to do together with others. Equal on all ranks, or the program is wrong.
struct Descriptor {
  int64_t sequence;
  int32_t step; // -1: the end of the execution
  int32_t operation;
  int32_t type;
  int32_t reduce;
  uint32_t axes; // bit set
  int32_t gathersFirst;
  int64_t sizes[5];            // count; or outer, size, inner; or outer, first, middle, second, inner
  int64_t inOffset, outOffset; // in the arena
};

enum class RankState : uint32_t { Starting, Ready, Done };

/// One rank, as the others and the launcher see it. Only the rank itself writes here.
struct alignas(256) RankRecord {
  std::atomic<uint32_t> state;                       // RankState
  std::atomic<int32_t> step;                         // the last one begun, + 1; 0: none yet
  std::atomic<uint32_t> executions;                  // finished ones
  std::atomic<uint64_t> barriers;                    // that this rank has come to; all ranks come to the same ones
  std::atomic<uint64_t> traceCount;                  // events ever written; the ring keeps the last ones
  uint64_t peakBytes, bytesSent;                     // bytesSent: by one execution
  uint64_t runNanoseconds, communicationNanoseconds; // summed over the timed executions
  Descriptor descriptors[2];                         // of odd and even sequence numbers
};

struct TraceEvent {
  int64_t begin, end; // nanoseconds()
  int32_t step;       // -1: copying inputs, -2: copying outputs
  int32_t execution;
};

/// Where a global input or output lies in the second memfd.
struct TensorPlace {
  uint64_t offset, bytes;
};

/// The first failure; later ones are its consequences.
struct FailureRecord {
  std::atomic<uint32_t> claimed; // by whoever comes first
  std::atomic<uint32_t> written; // the fields below are complete; every wait looks at this: the abort word
  int32_t rank;                  // -1: the launcher
  int32_t exitCode;
  char message[8192];
};

struct ControlHeader {
  uint64_t magic;
  uint64_t bytes; // of the memfd
  int32_t worldSize;
  int32_t threads; // per rank
  int32_t warmup, repeat;
  uint32_t checkCollectives;
  uint32_t graph;         // devices record an execution and play it again
  uint32_t traceCapacity; // events per rank, 0: no trace
  int64_t initTimeoutNanoseconds, collectiveTimeoutNanoseconds;
  uint64_t arenaBytes;  // what the manifest says
  uint64_t arenaStride; // from one rank's arena to the next
  int32_t inputCount, outputCount;
  uint64_t tensorBytes; // of the second memfd
  char planHash[128];
  int64_t firstOutputNanoseconds; // nanoseconds() at the end of the first execution
  uint64_t ranksOffset, barriersOffset, latenciesOffset, placesOffset, namesOffset, exchangeOffset, traceOffset,
      arenasOffset;
  FailureRecord failure;
};

/// Per rank: step names as u32 count, u32 begin[2 * count + 1], characters (name, what, name, what, ...).
inline constexpr uint64_t kNamesBytes = 4 << 20;

/// A view of the mapped memory.
class Control {
public:
  Control() = default;
  explicit Control(std::byte *base) : base(base) {}

  /// Fills in the offsets and `bytes` of a header whose other fields are set.
  static void layOut(ControlHeader &header);

  ControlHeader &header() const { return *reinterpret_cast<ControlHeader *>(base); }
  RankRecord &rank(int rank) const { return at<RankRecord>(header().ranksOffset)[rank]; }
  /// Of the group of ranks that differ along `axes` (bit set), whose first rank is `first`.
  BarrierWords &barrier(uint32_t axes, int first) const {
    return at<BarrierWords>(header().barriersOffset)[int(axes) * header().worldSize + first];
  }
  /// Of execution `index`, warm-up included, in nanoseconds.
  int64_t &latency(int index) const { return at<int64_t>(header().latenciesOffset)[index]; }
  /// Inputs first, then outputs.
  TensorPlace &place(int index) const { return at<TensorPlace>(header().placesOffset)[index]; }
  /// Where a rank puts a few bytes for all others, FROE_EXCHANGE_BYTES.
  std::byte *exchange(int rank) const { return at<std::byte>(header().exchangeOffset) + rank * FROE_EXCHANGE_BYTES; }
  std::byte *names(int rank) const { return at<std::byte>(header().namesOffset) + uint64_t(rank) * kNamesBytes; }
  TraceEvent &traceEvent(int rank, uint64_t index) const {
    uint64_t capacity = header().traceCapacity;
    return at<TraceEvent>(header().traceOffset)[uint64_t(rank) * capacity + index % capacity];
  }
  std::byte *arena(int rank) const {
    return at<std::byte>(header().arenasOffset) + uint64_t(rank) * header().arenaStride;
  }

  /// Writes the failure down unless there is one already; true if this was the first.
  bool claimFailure(int rank, int exitCode, std::string_view message) const;
  bool failed() const { return header().failure.written.load(std::memory_order_acquire) != 0; }

  void writeNames(int rank, const froe_program &program) const;
  /// "step 3 'layer/1' (matmul)"; "no step yet" for -1.
  std::string describeStep(int rank, int step) const;
  /// How far a rank is: "execution 0, step 3 'layer/1' (matmul)".
  std::string describeProgress(int rank) const;
  /// The name of the ONNX node and of the kernel of a step, empty if they are not known.
  std::pair<std::string_view, std::string_view> stepNames(int rank, int step) const;

private:
  template <typename T> T *at(uint64_t offset) const { return reinterpret_cast<T *>(base + offset); }
  std::byte *base = nullptr;
};

static_assert(std::atomic<uint32_t>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free);

} // namespace froe::rt

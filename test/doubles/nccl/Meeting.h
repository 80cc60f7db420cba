// Where the processes of a communicator meet: a shared memory object with a record per rank and a mailbox per pair.
#pragma once

#include "runtime/cuda/Entries.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace froe::doubles {

using namespace froe::cuda;

inline constexpr int kMaxRanks = 64;
inline constexpr size_t kMailBytes = 64 << 10;

enum class Kind : int32_t { AllReduce, ReduceScatter, AllGather, Broadcast, Send, Recv, Split };

/// What a rank is about to do; equal on all ranks of the communicator.
struct Call {
  Kind kind;
  int32_t type = 0;
  int32_t reduction = 0; // or the root, or the peer
  int32_t padding = 0;
  uint64_t count = 0;
};

/// "AllReduce of 4096 f32 (sum)"
std::string describe(const Call &call);

struct RankSlot {
  std::atomic<uint32_t> present;
  std::atomic<uint64_t> posted; // calls begun
  Call calls[2];                // of odd and even numbers
  int32_t color, key;           // of a split
};

struct Mailbox {
  std::atomic<uint32_t> full;
  uint32_t bytes; // of this piece
  uint64_t count; // of the whole message
  int32_t type;
  std::byte data[kMailBytes];
};

struct SharedMeeting {
  std::atomic<uint32_t> attached, aborted;
  std::atomic<int32_t> ranks;
  RankSlot slots[kMaxRanks];
};

class Meeting {
public:
  /// Waits for all ranks; the object's name vanishes when they have come.
  Meeting(const std::string &name, int ranks, int rank, const std::atomic<bool> &aborted);
  ~Meeting();
  Meeting(const Meeting &) = delete;
  Meeting &operator=(const Meeting &) = delete;

  /// Tells the others what this rank does next, waits for them to do so, and raises an alarm if they differ. False if
  /// the communicator was aborted meanwhile.
  bool agree(const Call &call);
  RankSlot &slot(int rank) { return shared->slots[rank]; }
  Mailbox &mailbox(int from, int to) { return mailboxes[from * ranks + to]; }
  void abort() { shared->aborted = 1; }
  bool isAborted() const { return aborted || shared->aborted; }

  /// Waits for `condition`; an alarm that begins with `what` if FROE_DOUBLE_TIMEOUT milliseconds (20000; 0: never) were
  /// not enough. False if the communicator was aborted.
  template <class Condition, class What> bool waitFor(Condition &&condition, What &&what) {
    Wait wait;
    while (!condition()) {
      if (isAborted())
        return false;
      if (wait.isOver())
        tooLong(what());
    }
    return true;
  }

  const std::string name;
  const int ranks, rank;

private:
  struct Wait {
    int64_t end, rounds = 0;
    Wait();
    bool isOver();
  };
  [[noreturn]] void tooLong(const std::string &what);
  std::string missing(uint64_t number);

  const std::atomic<bool> &aborted;
  SharedMeeting *shared = nullptr;
  Mailbox *mailboxes = nullptr;
  size_t bytes = 0;
  uint64_t calls = 0;
};

/// What names of meetings begin with; the number of the process that named them follows.
inline constexpr const char *kMeetingPrefix = "/froe-nccl-";
/// Of processes that were killed before all ranks had come.
void removeStaleMeetings();

[[noreturn]] void ncclAlarm(const std::string &message);

/// One transfer of a rank with another.
struct Transfer {
  bool sends;
  int peer;
  int32_t type;
  uint64_t count;
  std::byte *data;
};

size_t typeBytes(int32_t type);
/// Does all of them, in any order. False if the communicator was aborted.
bool transfer(Meeting &meeting, const std::vector<Transfer> &transfers);
/// out = ins[0] (+) ins[1] ..., sums of half-precision types in f32.
void reduceAll(const std::vector<const std::byte *> &ins, std::byte *out, size_t count, int32_t type,
               int32_t reduction);

} // namespace froe::doubles

// libnccl.so.2 for tests: processes meet in shared memory, work is done in the order of the streams, and calls that do
// not match end the process with exit code 86 and a line on stderr. FROE_DOUBLE_TIMEOUT: milliseconds until a rank that
// does not come is named (20000; 0: wait for ever, as NCCL does). FROE_DOUBLE_NCCL: the version (22809).
// FROE_DOUBLE_NCCL_FAILS: the call, from 1 on, that ends in an error while it runs.
#include "test/doubles/cuda/Double.h"
#include "test/doubles/nccl/Meeting.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

using namespace froe::doubles;

struct froe::cuda::ncclComm {
  std::atomic<bool> aborted{false};
  std::atomic<int> state{kNcclInProgress};
  int ranks = 0, rank = 0, splits = 0;
  bool blocking = true;
  std::unique_ptr<Meeting> meeting;
  std::thread starting;

  std::set<void *> registered;

  /// Runs `start` on a thread of its own; waits for it unless the communicator is non-blocking.
  template <class Start> NcclResult begin(Start &&start) {
    if (starting.joinable())
      starting.join();
    state = kNcclInProgress;
    starting = std::thread([this, start] {
      start();
      state = kNcclSuccess;
    });
    if (!blocking)
      return kNcclInProgress;
    starting.join();
    return kNcclSuccess;
  }
  ~ncclComm() {
    if (starting.joinable())
      starting.join();
  }
};

namespace {

/// One call, or the sends and receives of one group.
struct Operation {
  ncclComm *communicator;
  Call call;
  const std::byte *in = nullptr;
  std::byte *out = nullptr;
  std::vector<Transfer> transfers; // of sends and receives
};

struct Pending {
  Operation operation;
  Stream stream;
};
thread_local int depth = 0;
thread_local std::vector<Pending> pending;

void check(const void *memory, size_t bytes, const char *what) { froe_double_check(memory, bytes, what); }

/// Everybody's input, by rank; false after an abort.
bool collect(Meeting &meeting, const Operation &operation, std::vector<std::vector<std::byte>> &all) {
  std::vector<Transfer> transfers;
  auto *own = const_cast<std::byte *>(operation.in);
  size_t count = operation.call.count * (operation.call.kind == Kind::ReduceScatter ? size_t(meeting.ranks) : 1);
  size_t bytes = count * typeBytes(operation.call.type);
  all.assign(size_t(meeting.ranks), std::vector<std::byte>(bytes));
  std::memcpy(all[size_t(meeting.rank)].data(), own, bytes);
  for (int peer = 0; peer < meeting.ranks; ++peer)
    if (peer != meeting.rank) {
      transfers.push_back({true, peer, operation.call.type, count, own});
      transfers.push_back({false, peer, operation.call.type, count, all[size_t(peer)].data()});
    }
  return transfer(meeting, transfers);
}

void checkBuffers(const Operation &operation, int ranks) {
  const Call &call = operation.call;
  size_t bytes = call.count * typeBytes(call.type);
  std::string what = describe(call);
  check(operation.in, bytes * (call.kind == Kind::ReduceScatter ? size_t(ranks) : 1), (what + " (input)").c_str());
  check(operation.out, bytes * (call.kind == Kind::AllGather ? size_t(ranks) : 1), (what + " (output)").c_str());
}

void collective(Meeting &meeting, const Operation &operation) {
  checkBuffers(operation, meeting.ranks);
  std::vector<std::vector<std::byte>> all;
  if (!meeting.agree(operation.call) || !collect(meeting, operation, all))
    return;
  const Call &call = operation.call;
  size_t bytes = call.count * typeBytes(call.type);
  std::vector<const std::byte *> ins;
  for (auto &one : all)
    ins.push_back(one.data() + (call.kind == Kind::ReduceScatter ? size_t(meeting.rank) * bytes : 0));
  if (call.kind == Kind::Broadcast)
    std::memcpy(operation.out, ins[size_t(call.reduction)], bytes);
  else if (call.kind == Kind::AllGather)
    for (size_t rank = 0; rank < ins.size(); ++rank)
      std::memcpy(operation.out + rank * bytes, ins[rank], bytes);
  else
    reduceAll(ins, operation.out, call.count, call.type, call.reduction);
}

/// Sends to oneself and receives from oneself are matched here.
void pointToPoint(Meeting &meeting, const Operation &operation) {
  std::vector<Transfer> others;
  std::vector<const Transfer *> own[2];
  for (const Transfer &one : operation.transfers) {
    check(one.data, one.count * typeBytes(one.type), one.sends ? "Send" : "Recv");
    if (one.peer == meeting.rank)
      own[one.sends].push_back(&one);
    else
      others.push_back(one);
  }
  if (own[0].size() != own[1].size())
    ncclAlarm(
        fmt::format("rank {} sends {} messages to itself and receives {}", meeting.rank, own[1].size(), own[0].size()));
  for (size_t i = 0; i < own[0].size(); ++i)
    std::memmove(own[0][i]->data, own[1][i]->data, own[0][i]->count * typeBytes(own[0][i]->type));
  transfer(meeting, others);
}

void run(void *argument) {
  auto *operation = static_cast<Operation *>(argument);
  if (operation->communicator->aborted)
    return;
  Meeting &meeting = *operation->communicator->meeting;
  static std::atomic<int64_t> calls{0};
  if (++calls == setting("FROE_DOUBLE_NCCL_FAILS", 0)) {
    operation->communicator->state = kNcclSystemError;
    meeting.waitFor([] { return false; }, [] { return "a call that failed is waited for"; });
    return;
  }
  operation->transfers.empty() ? collective(meeting, *operation) : pointToPoint(meeting, *operation);
}

/// Into the stream. The operation stays: a graph may run it again.
NcclResult enqueue(Operation operation, Stream stream) {
  return cuLaunchHostFunc(stream, run, new Operation(std::move(operation))) == froe::cuda::kSuccess
             ? kNcclSuccess
             : kNcclUnhandledCudaError;
}

NcclResult submit(Operation operation, Stream stream) {
  if (!operation.communicator || operation.communicator->state != kNcclSuccess)
    return kNcclInvalidUsage;
  if (depth == 0)
    return enqueue(std::move(operation), stream);
  pending.push_back({std::move(operation), stream});
  return kNcclSuccess;
}

} // namespace

extern "C" {

NcclResult ncclGetVersion(int *version) {
  *version = int(setting("FROE_DOUBLE_NCCL", 22809));
  return kNcclSuccess;
}

NcclResult ncclGetUniqueId(UniqueId *id) {
  removeStaleMeetings();
  auto now = std::chrono::steady_clock::now().time_since_epoch().count(); // processes' numbers come again
  *id = {};
  fmt::format_to_n(id->bytes, sizeof id->bytes - 1, "{}{}-{}", kMeetingPrefix, getpid(), now);
  return kNcclSuccess;
}

NcclResult ncclCommInitRankConfig(Communicator *communicator, int ranks, UniqueId id, int rank, NcclConfig *config) {
  if (config && config->magic != 0xcafebeef)
    return kNcclInvalidArgument;
  auto *made = new ncclComm;
  made->ranks = ranks, made->rank = rank;
  made->blocking = !config || config->blocking != 0;
  *communicator = made;
  froe_double_live("communicator", 1);
  return made->begin([=] { made->meeting = std::make_unique<Meeting>(id.bytes, ranks, rank, made->aborted); });
}

NcclResult ncclCommSplit(Communicator parent, int color, int key, Communicator *communicator, NcclConfig *config) {
  if (parent->state != kNcclSuccess)
    return kNcclInvalidUsage;
  *communicator = nullptr; // until all is done, which the parent tells
  return parent->begin([=, number = parent->splits++] {
    auto *made = new ncclComm;
    made->blocking = config && config->blocking != NcclConfig::kUndefined ? config->blocking != 0 : parent->blocking;
    Meeting &meeting = *parent->meeting;
    RankSlot &own = meeting.slot(meeting.rank);
    own.color = color, own.key = key;
    if (!meeting.agree({Kind::Split}))
      return;
    std::vector<std::pair<int, int>> members; // key, rank in the parent
    for (int rank = 0; rank < meeting.ranks; ++rank)
      if (meeting.slot(rank).color == color)
        members.push_back({meeting.slot(rank).key, rank});
    std::ranges::sort(members);
    made->ranks = int(members.size());
    made->rank = int(std::ranges::find(members, meeting.rank, &std::pair<int, int>::second) - members.begin());
    if (!meeting.agree({Kind::Split})) // all have read before anybody splits again
      return;
    made->meeting = std::make_unique<Meeting>(fmt::format("{}-{}.{}", meeting.name, number, color), made->ranks,
                                              made->rank, made->aborted);
    made->state = kNcclSuccess;
    froe_double_live("communicator", 1);
    *communicator = made;
  });
}

NcclResult ncclCommGetAsyncError(Communicator communicator, NcclResult *error) {
  if (!communicator)
    return kNcclInvalidArgument;
  *error = NcclResult(communicator->state.load());
  if (communicator->state == kNcclSuccess && communicator->meeting && communicator->meeting->isAborted())
    *error = kNcclRemoteError;
  return kNcclSuccess;
}

NcclResult ncclCommAbort(Communicator communicator) {
  froe_double_log(fmt::format("rank {} of {}: abort", communicator->rank, communicator->ranks).c_str());
  communicator->aborted = true;
  if (communicator->meeting)
    communicator->meeting->abort();
  return kNcclSuccess; // its memory stays: work of streams may still look at it
}

NcclResult ncclCommDestroy(Communicator communicator) {
  if (!communicator->registered.empty())
    ncclAlarm("a communicator is destroyed while memory is registered with it");
  delete communicator;
  froe_double_live("communicator", -1);
  return kNcclSuccess;
}

NcclResult ncclMemAlloc(void **memory, size_t bytes) {
  froe::cuda::Address address = 0;
  if (cuMemAlloc_v2(&address, bytes) != kSuccess)
    return kNcclUnhandledCudaError;
  *memory = reinterpret_cast<void *>(address);
  return kNcclSuccess;
}

NcclResult ncclMemFree(void *memory) {
  return cuMemFree_v2(froe::cuda::Address(memory)) == kSuccess ? kNcclSuccess : kNcclUnhandledCudaError;
}

NcclResult ncclCommRegister(const Communicator communicator, void *memory, size_t bytes, void **registration) {
  check(memory, bytes, "registered memory");
  froe_double_log(
      fmt::format("rank {} of {}: register {} bytes", communicator->rank, communicator->ranks, bytes).c_str());
  communicator->registered.insert(memory);
  *registration = memory;
  return kNcclSuccess;
}

NcclResult ncclCommDeregister(const Communicator communicator, void *registration) {
  if (communicator->registered.erase(registration) == 0)
    return kNcclInvalidUsage;
  return kNcclSuccess;
}

NcclResult ncclCommCount(const Communicator communicator, int *count) {
  *count = communicator->ranks;
  return kNcclSuccess;
}

NcclResult ncclCommUserRank(const Communicator communicator, int *rank) {
  *rank = communicator->rank;
  return kNcclSuccess;
}

NcclResult ncclGroupStart() {
  ++depth;
  return kNcclSuccess;
}

NcclResult ncclGroupEnd() {
  if (depth == 0)
    return kNcclInvalidUsage;
  if (--depth != 0)
    return kNcclSuccess;
  std::vector<Pending> taken;
  taken.swap(pending);
  std::vector<Pending> merged; // transfers of one communicator together
  for (Pending &one : taken) {
    auto same = std::ranges::find_if(merged, [&](const Pending &other) {
      return !one.operation.transfers.empty() && !other.operation.transfers.empty() && other.stream == one.stream &&
             other.operation.communicator == one.operation.communicator;
    });
    if (same != merged.end())
      same->operation.transfers.push_back(one.operation.transfers.front());
    else
      merged.push_back(std::move(one));
  }
  for (Pending &one : merged)
    if (NcclResult result = enqueue(std::move(one.operation), one.stream))
      return result;
  return kNcclSuccess;
}

NcclResult ncclAllReduce(const void *in, void *out, size_t count, NcclType type, NcclReduction reduction,
                         Communicator communicator, Stream stream) {
  return submit({communicator,
                 {Kind::AllReduce, type, reduction, 0, count},
                 static_cast<const std::byte *>(in),
                 static_cast<std::byte *>(out),
                 {}},
                stream);
}

NcclResult ncclReduceScatter(const void *in, void *out, size_t count, NcclType type, NcclReduction reduction,
                             Communicator communicator, Stream stream) {
  return submit({communicator,
                 {Kind::ReduceScatter, type, reduction, 0, count},
                 static_cast<const std::byte *>(in),
                 static_cast<std::byte *>(out),
                 {}},
                stream);
}

NcclResult ncclAllGather(const void *in, void *out, size_t count, NcclType type, Communicator communicator,
                         Stream stream) {
  return submit({communicator,
                 {Kind::AllGather, type, 0, 0, count},
                 static_cast<const std::byte *>(in),
                 static_cast<std::byte *>(out),
                 {}},
                stream);
}

NcclResult ncclBroadcast(const void *in, void *out, size_t count, NcclType type, int root, Communicator communicator,
                         Stream stream) {
  return submit({communicator,
                 {Kind::Broadcast, type, root, 0, count},
                 static_cast<const std::byte *>(in),
                 static_cast<std::byte *>(out),
                 {}},
                stream);
}

NcclResult ncclSend(const void *in, size_t count, NcclType type, int peer, Communicator communicator, Stream stream) {
  auto *data = static_cast<std::byte *>(const_cast<void *>(in));
  return submit({communicator, {Kind::Send, type, peer, 0, count}, nullptr, nullptr, {{true, peer, type, count, data}}},
                stream);
}

NcclResult ncclRecv(void *out, size_t count, NcclType type, int peer, Communicator communicator, Stream stream) {
  auto *data = static_cast<std::byte *>(out);
  return submit(
      {communicator, {Kind::Recv, type, peer, 0, count}, nullptr, nullptr, {{false, peer, type, count, data}}}, stream);
}

const char *ncclGetErrorString(NcclResult result) {
  return result == kNcclSuccess ? "no error" : result == kNcclRemoteError ? "remote error" : "error of the double";
}
const char *ncclGetLastError(Communicator) { return ""; }

} // extern "C"

#define FROE_CHECK_ENTRY(name, parameters)                                                                             \
  static_assert(std::is_same_v<decltype(::name), froe::cuda::types::name>, #name);
FROE_NCCL_ENTRIES(FROE_CHECK_ENTRY)
FROE_NCCL_MEMORY_ENTRIES(FROE_CHECK_ENTRY)
FROE_NCCL_TEXT_ENTRIES(FROE_CHECK_ENTRY)

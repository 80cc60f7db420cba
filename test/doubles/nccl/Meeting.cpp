#include "test/doubles/nccl/Meeting.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace froe::doubles {

namespace {

constexpr int kAlarmExitCode = 86;
constexpr const char *kKinds[] = {"AllReduce", "ReduceScatter", "AllGather", "Broadcast", "Send", "Recv", "CommSplit"};
constexpr const char *kTypes[] = {"i8", "u8", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "bf16"};
constexpr const char *kReductions[] = {"sum", "product", "max", "min"};

int64_t now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string detail(const Call &call) {
  if (call.kind == Kind::AllReduce || call.kind == Kind::ReduceScatter)
    return fmt::format(" ({})", kReductions[call.reduction]);
  return call.kind == Kind::Broadcast ? fmt::format(" (root {})", call.reduction) : "";
}

} // namespace

void ncclAlarm(const std::string &message) {
  std::fprintf(stderr, "nccl double: %s\n", message.c_str());
  std::fflush(stderr);
  _exit(kAlarmExitCode);
}

void removeStaleMeetings() {
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm", none)) {
    std::string name = "/" + entry.path().filename().string();
    pid_t owner = name.starts_with(kMeetingPrefix) ? std::atoi(name.c_str() + std::strlen(kMeetingPrefix)) : 0;
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH)
      shm_unlink(name.c_str());
  }
}

std::string describe(const Call &call) {
  if (call.kind == Kind::Split)
    return kKinds[int(call.kind)];
  return fmt::format("{} of {} {}{}", kKinds[int(call.kind)], call.count, kTypes[call.type], detail(call));
}

Meeting::Wait::Wait() {
  const char *text = std::getenv("FROE_DOUBLE_TIMEOUT");
  int64_t limit = text ? std::atoll(text) : 20'000;
  end = limit ? now() + limit : INT64_MAX;
}

bool Meeting::Wait::isOver() {
  if (++rounds < 100)
    sched_yield();
  else
    usleep(50);
  return rounds % 20 == 0 && now() > end;
}

void Meeting::tooLong(const std::string &what) { ncclAlarm(what); }

Meeting::Meeting(const std::string &name, int ranks, int rank, const std::atomic<bool> &aborted)
    : name(name), ranks(ranks), rank(rank), aborted(aborted) {
  if (ranks > kMaxRanks || rank < 0 || rank >= ranks)
    ncclAlarm(fmt::format("rank {} of {} ranks", rank, ranks));
  bytes = sizeof(SharedMeeting) + size_t(ranks) * size_t(ranks) * sizeof(Mailbox);
  int file = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0)
    ncclAlarm(fmt::format("{}: {}", name, strerror(errno)));
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    ncclAlarm(fmt::format("{}: {}", name, strerror(errno)));
  shared = static_cast<SharedMeeting *>(memory);
  mailboxes = reinterpret_cast<Mailbox *>(static_cast<std::byte *>(memory) + sizeof(SharedMeeting));

  if (int32_t none = 0; !shared->ranks.compare_exchange_strong(none, ranks) && none != ranks)
    ncclAlarm(fmt::format("rank {} joins a communicator of {} ranks, others one of {}", rank, ranks, none));
  if (shared->slots[rank].present.exchange(1) != 0)
    ncclAlarm(fmt::format("two processes are rank {} of one communicator", rank));
  ++shared->attached;
  bool complete = waitFor([&] { return shared->attached == uint32_t(ranks); },
                          [&] { return fmt::format("rank {} waits for {} to join", rank, missing(0)); });
  if (complete)
    shm_unlink(name.c_str());
}

Meeting::~Meeting() { munmap(shared, bytes); }

/// Which ranks have not begun call `number`; 0: have not come at all.
std::string Meeting::missing(uint64_t number) {
  std::vector<std::string> ranks;
  for (int other = 0; other < this->ranks; ++other) {
    RankSlot &slot = shared->slots[other];
    if (number == 0 ? slot.present == 0 : slot.posted < number)
      ranks.push_back(fmt::format("rank {}", other));
  }
  return fmt::format("{}", fmt::join(ranks, ", "));
}

bool Meeting::agree(const Call &call) {
  uint64_t number = ++calls;
  RankSlot &own = shared->slots[rank];
  own.calls[number % 2] = call;
  own.posted = number;
  auto come = [&] {
    return std::ranges::all_of(shared->slots, shared->slots + ranks, [&](RankSlot &s) { return s.posted >= number; });
  };
  if (!waitFor(come, [&] {
        return fmt::format("rank {} of {} waits in call #{}, {}, on communicator {} for {}", rank, ranks, number,
                           describe(call), name, missing(number));
      }))
    return false;
  for (int other = 0; other < ranks; ++other)
    if (const Call &theirs = shared->slots[other].calls[number % 2]; std::memcmp(&theirs, &call, sizeof call) != 0)
      ncclAlarm(fmt::format("call #{} on communicator {} does not match: rank {}: {}, rank {}: {}", number, name, rank,
                            describe(call), other, describe(theirs)));
  return true;
}

} // namespace froe::doubles

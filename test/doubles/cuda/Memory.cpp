#include "test/doubles/cuda/Double.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace froe::doubles {

namespace {

constexpr size_t kPage = 4096, kAlignment = 256;
constexpr int kFresh = 0xCD;

struct Range {
  size_t bytes;
  std::byte *mapping;
  size_t mapped; // without the guard page behind
  bool live;
};

struct State {
  std::mutex mutex;
  std::map<Address, Range> ranges; // freed ones stay, without access
  std::map<const void *, size_t> pinned;
  std::map<std::string, int> live; // objects, by kind
  size_t used = 0;
};

State &state() {
  static auto *state = new State; // never destroyed: streams may outlive static objects
  return *state;
}

/// The range at or before an address.
const std::pair<const Address, Range> *rangeAt(Address address) {
  auto next = state().ranges.upper_bound(address);
  if (next == state().ranges.begin())
    return nullptr;
  auto &found = *std::prev(next);
  return address < Address(found.second.mapping) + found.second.mapped + kPage ? &found : nullptr;
}

/// A twin that touches what it must not: says what the address was.
void explainFault(int, siginfo_t *info, void *) {
  auto address = Address(info->si_addr);
  if (auto *range = rangeAt(address)) // without the lock: this process ends here
    alarm(fmt::format("a kernel or the host touched {:#x}, {}", address,
                      range->second.live
                          ? fmt::format("beyond the allocation of {} bytes at {:#x}", range->second.bytes, range->first)
                          : "which was freed"));
  std::signal(SIGSEGV, SIG_DFL);
}

void catchFaults() {
  struct sigaction action{};
  action.sa_sigaction = explainFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

} // namespace

void alarm(const std::string &message) {
  std::fprintf(stderr, "cuda double: %s\n", message.c_str());
  std::fflush(stderr);
  _exit(kAlarmExitCode);
}

namespace {
std::atomic<int> broken{kSuccess};
}

DriverResult deviceState() { return DriverResult(broken.load()); }
void breakDown() { broken = kIllegalAddress; }

int64_t setting(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

size_t freeBytes() {
  std::lock_guard lock(state().mutex);
  return size_t(setting("FROE_DOUBLE_MEMORY", int64_t(4) << 30)) - state().used;
}

DriverResult allocateDevice(Address *address, size_t bytes) {
  if (bytes == 0)
    return kInvalidValue;
  if (bytes > freeBytes())
    return kOutOfMemory;
  static std::once_flag once;
  std::call_once(once, catchFaults);
  size_t mapped = (bytes + kAlignment + kPage - 1) / kPage * kPage;
  void *memory =
      mmap(nullptr, mapped + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return kOutOfMemory;
  auto *mapping = static_cast<std::byte *>(memory);
  mprotect(mapping + mapped, kPage, PROT_NONE);
  std::byte *begin = mapping + (mapped - bytes) / kAlignment * kAlignment; // so that its end is near the guard page
  std::memset(begin, kFresh, bytes);
  std::lock_guard lock(state().mutex);
  state().ranges[Address(begin)] = {bytes, mapping, mapped, true};
  state().used += bytes;
  *address = Address(begin);
  return kSuccess;
}

DriverResult freeDevice(Address address) {
  std::lock_guard lock(state().mutex);
  auto found = state().ranges.find(address);
  if (found == state().ranges.end())
    alarm(fmt::format("free of {:#x}, which was never allocated", address));
  Range &range = found->second;
  if (!range.live)
    alarm(fmt::format("free of {:#x}, which was freed before", address));
  range.live = false;
  state().used -= range.bytes;
  madvise(range.mapping, range.mapped, MADV_DONTNEED);
  mprotect(range.mapping, range.mapped, PROT_NONE);
  return kSuccess;
}

DriverResult allocateHost(void **memory, size_t bytes) {
  *memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  std::lock_guard lock(state().mutex);
  state().pinned[*memory] = bytes;
  return kSuccess;
}

DriverResult freeHost(void *memory) {
  std::lock_guard lock(state().mutex);
  if (state().pinned.erase(memory) == 0)
    alarm(fmt::format("free of host memory {}, which was not allocated as such", fmt::ptr(memory)));
  std::free(memory);
  return kSuccess;
}

bool isPinned(const void *memory) {
  std::lock_guard lock(state().mutex);
  auto next = state().pinned.upper_bound(memory);
  if (next == state().pinned.begin())
    return false;
  auto [begin, bytes] = *std::prev(next);
  return static_cast<const std::byte *>(memory) < static_cast<const std::byte *>(begin) + bytes;
}

void checkDevice(Address address, size_t bytes, const std::string &what) {
  if (bytes == 0)
    return;
  std::lock_guard lock(state().mutex);
  const auto *found = rangeAt(address);
  if (!found || address < found->first)
    alarm(fmt::format("{} of {} bytes at {:#x}, which is not device memory", what, bytes, address));
  const Range &range = found->second;
  if (!range.live)
    alarm(fmt::format("{} of {} bytes at {:#x}, which was freed", what, bytes, address));
  if (address + bytes > found->first + range.bytes)
    alarm(fmt::format("{} of {} bytes at {:#x} goes beyond the allocation of {} bytes at {:#x}", what, bytes, address,
                      range.bytes, found->first));
}

void checkNotFreed(Address address, const std::string &what) {
  std::lock_guard lock(state().mutex);
  const auto *found = rangeAt(address);
  if (found && address >= found->first && !found->second.live)
    alarm(fmt::format("{} is {:#x}, which was freed", what, address));
}

void reportLeaks() {
  std::lock_guard lock(state().mutex);
  size_t bytes = 0, count = state().pinned.size();
  for (auto [memory, size] : state().pinned)
    bytes += size;
  for (auto &[address, range] : state().ranges)
    if (range.live)
      bytes += range.bytes, ++count;
  if (count != 0)
    alarm(fmt::format("{} allocations of {} bytes altogether were not freed", count, bytes));
  for (auto &[kind, number] : state().live)
    if (number != 0)
      alarm(fmt::format("{} {} not destroyed", number, number == 1 ? kind + " was" : kind + "s were"));
}

} // namespace froe::doubles

void froe_double_live(const char *kind, int change) {
  std::lock_guard lock(froe::doubles::state().mutex);
  froe::doubles::state().live[kind] += change;
}

void froe_double_log(const char *line) {
  const char *file = std::getenv("FROE_DOUBLE_LOG");
  if (std::FILE *log = file ? std::fopen(file, "a") : nullptr) {
    std::fprintf(log, "%s\n", line);
    std::fclose(log);
  }
}

void froe_double_check(const void *memory, size_t bytes, const char *what) {
  if (!froe::doubles::isPinned(memory))
    froe::doubles::checkDevice(froe::doubles::Address(memory), bytes, what);
}

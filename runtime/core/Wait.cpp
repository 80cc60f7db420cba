#include "runtime/core/Wait.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace froe::rt {

void yieldProcessor() { sched_yield(); }

int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void futexWait(const std::atomic<uint32_t> &word, uint32_t expected, int64_t timeoutNanoseconds, bool shared) {
  timespec timeout{timeoutNanoseconds / 1'000'000'000, timeoutNanoseconds % 1'000'000'000};
  syscall(SYS_futex, &word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
}

void futexWakeAll(std::atomic<uint32_t> &word, bool shared) {
  syscall(SYS_futex, &word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace froe::rt

// How one thread or rank waits for another: spin briefly, then yield, then sleep in a futex.
//
// Longer spinning is worse than none as soon as there are more waiters than cores: a 4 KiB all-reduce of 4 ranks on 2
// cores takes 9 to 48 ms with pure spinning, 0.03 ms this way.
#pragma once

#include <atomic>
#include <cstdint>

namespace froe::rt {

inline constexpr int64_t kSpinNanoseconds = 2'000;
inline constexpr int kYields = 100;

void yieldProcessor();

/// CLOCK_MONOTONIC, which all processes of a host share.
int64_t nanoseconds();

/// Sleeps until `word` is woken, differs from `expected`, or the time is over. `shared`: between processes.
void futexWait(const std::atomic<uint32_t> &word, uint32_t expected, int64_t timeoutNanoseconds, bool shared);
void futexWakeAll(std::atomic<uint32_t> &word, bool shared);

/// Waits until `word` differs from `old`. `sleepers` counts those in the futex, so that nobody is woken in vain;
/// `tick` is called now and then while waiting (to look at deadlines and at the abort word) and may not return.
template <typename Tick>
void waitWhileEqual(std::atomic<uint32_t> &word, uint32_t old, std::atomic<uint32_t> &sleepers, bool shared,
                    int64_t sleepNanoseconds, Tick &&tick) {
  auto changed = [&] { return word.load(std::memory_order_acquire) != old; };
  if (changed())
    return;
  for (int64_t end = nanoseconds() + kSpinNanoseconds; nanoseconds() < end;) {
    for (int i = 0; i < 8; ++i) {
      if (changed())
        return;
      __builtin_ia32_pause();
    }
  }
  for (int i = 0; i < kYields; ++i) {
    yieldProcessor();
    if (changed())
      return;
  }
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (word.load(std::memory_order_seq_cst) == old) {
    futexWait(word, old, sleepNanoseconds, shared);
    tick();
  }
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

/// Lets those go that wait for `word` to change; call after changing it with sequential consistency.
inline void wakeSleepers(std::atomic<uint32_t> &word, std::atomic<uint32_t> &sleepers, bool shared) {
  if (sleepers.load(std::memory_order_seq_cst) != 0)
    futexWakeAll(word, shared);
}

} // namespace froe::rt

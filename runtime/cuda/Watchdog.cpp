#include "runtime/cuda/Watchdog.h"

#include <chrono>
#include <utility>

namespace froe::cuda {

namespace {
constexpr std::chrono::milliseconds kPeriod{10};
}

Watchdog::Watchdog(std::function<void(bool)> look) : look(std::move(look)), thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  thread.join();
}

void Watchdog::set(bool value) {
  std::lock_guard lock(mutex);
  working = first = value;
  changed.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    changed.wait(lock, [&] { return working || stopping; });
    changed.wait_for(lock, kPeriod, [&] { return !working || stopping; });
    if (working && !stopping)
      look(std::exchange(first, false));
  }
}

} // namespace froe::cuda

// Looks after a rank whose own thread may be held up: a driver whose queue is full does not return from a launch.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace froe::cuda {

class Watchdog {
public:
  /// `look(first)` is called every few milliseconds while there is work, on a thread of its own.
  explicit Watchdog(std::function<void(bool first)> look);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  void begin() { set(true); }
  void end() { set(false); }

private:
  void set(bool value);
  void watch();

  std::function<void(bool)> look;
  std::mutex mutex;
  std::condition_variable changed;
  bool working = false, first = false, stopping = false;
  std::thread thread;
};

} // namespace froe::cuda

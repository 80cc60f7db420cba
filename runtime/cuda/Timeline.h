// When each step of an execution ran on the device, by events around it.
#pragma once

#include "runtime/cuda/Libraries.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace froe::cuda {

class Timeline {
public:
  /// `check` is called with the result of every call.
  Timeline(const DriverLibrary &driver, Stream stream, std::function<void(DriverResult)> check)
      : driver(driver), stream(stream), check(std::move(check)) {}
  ~Timeline();
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  /// Of an execution: waits for the stream, so that the device's clock can be told from the host's.
  void start();
  /// Lets the stream do nothing until some steps, or all, are queued: otherwise the time of a short step would be that
  /// of its launch. No call until `release` may wait for the stream, as those do that load or copy something first.
  void hold();
  void release();
  void beginStep(int32_t step);
  /// The step is on another stream, behind all that the first one did so far.
  void move(Stream other);
  void endStep();
  /// tell(step, begin, end) for each step since `start`; all of them must be over.
  void finish(const std::function<void(int32_t, int64_t, int64_t)> &tell);

private:
  struct Span {
    int32_t step = 0;
    Event begin = nullptr, end = nullptr;
  };
  Event make();
  int64_t after(Event event);

  const DriverLibrary &driver;
  Stream stream, streamOfStep = nullptr;
  std::function<void(DriverResult)> check;
  Event origin = nullptr;
  int64_t originNanoseconds = 0;
  std::atomic<bool> held = false;
  std::vector<Span> spans; // used again by the next execution
  size_t used = 0;
};

} // namespace froe::cuda

#include "runtime/cuda/Timeline.h"

#include <chrono>
#include <span>

namespace froe::cuda {

namespace {
constexpr size_t kMostHeld = 100; // steps; a driver queues about 1000 calls, and then waits
}

Timeline::~Timeline() {
  if (origin)
    driver.cuEventDestroy_v2(origin);
  for (const Span &span : spans) {
    driver.cuEventDestroy_v2(span.begin);
    driver.cuEventDestroy_v2(span.end);
  }
}

Event Timeline::make() {
  Event event = nullptr;
  check(driver.cuEventCreate(&event, kEventDefault));
  return event;
}

void Timeline::start() {
  if (!origin)
    origin = make();
  check(driver.cuStreamSynchronize(stream));
  originNanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  check(driver.cuEventRecord(origin, stream));
  used = 0;
}

void Timeline::hold() {
  held = true;
  check(driver.cuLaunchHostFunc(stream, [](void *self) { static_cast<Timeline *>(self)->held.wait(true); }, this));
}

void Timeline::release() {
  held = false;
  held.notify_all();
}

void Timeline::beginStep(int32_t step) {
  if (used == spans.size())
    spans.push_back({step, make(), make()});
  Span &span = spans[used++];
  span.step = step;
  streamOfStep = stream;
  check(driver.cuEventRecord(span.begin, stream));
}

void Timeline::move(Stream other) {
  streamOfStep = other;
  check(driver.cuEventRecord(spans[used - 1].begin, other));
}

void Timeline::endStep() {
  check(driver.cuEventRecord(spans[used - 1].end, streamOfStep));
  if (used == kMostHeld)
    release();
}

int64_t Timeline::after(Event event) {
  float milliseconds = 0;
  check(driver.cuEventElapsedTime(&milliseconds, origin, event));
  return originNanoseconds + int64_t(double(milliseconds) * 1e6);
}

void Timeline::finish(const std::function<void(int32_t, int64_t, int64_t)> &tell) {
  for (const Span &span : std::span(spans).first(used))
    tell(span.step, after(span.begin), after(span.end));
  used = 0;
}

} // namespace froe::cuda

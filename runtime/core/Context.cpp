#include "runtime/core/Context.h"

#include <fmt/format.h>
#include <unistd.h>

namespace froe::rt {

void fail(froe_rt &rt, int exitCode, const std::string &message) {
  rt.control.claimFailure(rt.rank, exitCode, message);
  _exit(exitCode);
}

std::string whereIs(froe_rt &rt) {
  int step = rt.record->step.load(std::memory_order_relaxed) - 1;
  return fmt::format("rank {}, {}", rt.rank, rt.control.describeStep(rt.rank, step));
}

void traceStep(froe_rt &rt, int32_t step, int64_t begin, int64_t end) {
  uint64_t index = rt.record->traceCount.load(std::memory_order_relaxed);
  rt.control.traceEvent(rt.rank, index) = {begin, end, step, rt.execution};
  rt.record->traceCount.store(index + 1, std::memory_order_release);
}

} // namespace froe::rt

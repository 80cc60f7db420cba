// One rank of a running program: what `froe_rt *` points to.
#pragma once

#include "froe_rt.h"
#include "runtime/comm/Transport.h"
#include "runtime/core/Control.h"
#include "runtime/core/Device.h"
#include "runtime/core/Mesh.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/core/Wait.h"
#include "runtime/core/Weights.h"

#include <memory>
#include <string>
#include <vector>

namespace froe::rt {

/// What a step prepares in its first execution and uses again in later ones; its kind is the step's own business.
struct StepCache {
  virtual ~StepCache() = default;
};

} // namespace froe::rt

struct froe_rt {
  const froe_program *program = nullptr;
  froe::rt::Mesh mesh;
  int rank = 0;
  froe::rt::Control control;
  froe::rt::RankRecord *record = nullptr; // of this rank
  std::byte *arena = nullptr;             // the device's
  froe::rt::WeightFile weights;           // weights[i] is that of program->weights[i]
  std::unique_ptr<froe::rt::ThreadPool> pool;
  std::unique_ptr<froe::rt::Transport> transport;
  std::unique_ptr<froe::rt::Device> device;
  std::vector<std::unique_ptr<froe::rt::StepCache>> stepCache; // [step_count]
  int execution = 0;                                           // warm-up included; -1: preparing a device
  int64_t communicationNanoseconds = 0;                        // of this execution
  int64_t collectiveSequence = 0;                              // counts checked collectives
};

namespace froe::rt {

/// Ends this rank, and through it the run, with a message that the launcher prints. Exit codes are those of `froe run`:
/// 1 the user's input, 3 a bug in Froe, 4 a rank failed.
[[noreturn]] void fail(froe_rt &rt, int exitCode, const std::string &message);

/// "rank 1, step 3 'layer/1' (matmul)", of the step that this rank is in.
std::string whereIs(froe_rt &rt);

inline bool isTracing(const froe_rt &rt) { return rt.control.header().traceCapacity != 0; }
/// Puts what lasted from `begin` to `end` into the trace.
void traceStep(froe_rt &rt, int32_t step, int64_t begin, int64_t end);

/// Open for as long as a step lasts: so others know where this rank is, and the device can take its time.
class StepScope {
public:
  StepScope(froe_rt &rt, int32_t step) : rt(rt), step(step) {
    rt.record->step.store(step + 1, std::memory_order_relaxed);
    rt.device->beginStep(step);
  }
  ~StepScope() { rt.device->endStep(step); }
  StepScope(const StepScope &) = delete;
  StepScope &operator=(const StepScope &) = delete;

private:
  froe_rt &rt;
  int32_t step;
};

} // namespace froe::rt

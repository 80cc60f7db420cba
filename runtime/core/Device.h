// Where a rank computes: the processor itself, or a device behind a plug-in.
#pragma once

#include "froe_rt.h"
#include "runtime/comm/Transport.h"
#include "runtime/core/Mesh.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct froe_rt;

namespace froe::rt {

/// The steps of froe_rt.h without what is the same everywhere (tracing, checks, groups). Work may be asynchronous
/// between `begin` and `finish`; pointers are the device's.
class Device {
public:
  virtual ~Device() = default;

  virtual std::byte *arena() = 0;
  virtual const void *weight(int32_t index) = 0;
  virtual const void *constant(int32_t index) = 0;

  /// Once, after all ranks have loaded.
  virtual void prepare() {}
  /// One execution: inputs out of `tensors` (the launcher's), the program's steps, and outputs into `tensors`.
  virtual void loadInputs(const std::byte *tensors) = 0;
  virtual void run() = 0;
  virtual void storeOutputs(std::byte *tensors) = 0;
  /// For all work so far; ends the run if a kernel raised a fault.
  virtual void wait() {}

  /// Around each step.
  virtual void beginStep(int32_t step) = 0;
  virtual void endStep(int32_t step) = 0;
  virtual void kernel(int32_t step, froe_kernel kernel, void *const *buffers, int64_t extent, int64_t grain) = 0;
  virtual void launch(int32_t step, int32_t kernel, int64_t grid, void *const *buffers) = 0;
  virtual void matmul(int32_t step, const froe_matmul &matmul, void *const *buffers) = 0;

  /// As Transport's.
  virtual int64_t allReduce(int32_t step, const Group &group, froe_reduce reduce, froe_type type, int64_t count,
                            const void *in, void *out) = 0;
  virtual int64_t allGather(int32_t step, const Group &group, froe_type type, const Cut &cut, const void *in,
                            void *out) = 0;
  virtual int64_t reduceScatter(int32_t step, const Group &group, froe_reduce reduce, froe_type type, const Cut &cut,
                                const void *in, void *out) = 0;
  virtual int64_t allToAll(int32_t step, const Group &group, froe_type type, const Exchange &exchange, const void *in,
                           void *out) = 0;
  /// Steps from here on begin when the collective of step `step` is complete.
  virtual void waitFor(int32_t) {}

  virtual void slice(froe_type type, const Cut &cut, const Part &part, const void *in, void *out) = 0;
  virtual void mask(froe_type type, const Cut &cut, const Part &part, const void *neutral, const void *in,
                    void *out) = 0;
};

/// The processor: arena, weights and threads of `rt`, which has its transport.
std::unique_ptr<Device> makeCpuDevice(froe_rt &rt);
/// The plug-in for what the program is compiled for; what fails ends the run.
std::unique_ptr<Device> openPlugin(froe_rt &rt);

/// "node 'lookup': index out of range (rank 1, step 3 ...)"
std::string describeFault(froe_rt &rt, int32_t step, int32_t fault);
/// Ends the run with exit code 1 and that message.
[[noreturn]] void failOnFault(froe_rt &rt, int32_t step, int32_t fault);

} // namespace froe::rt

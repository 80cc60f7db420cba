// The processor as a device: everything is done at once, by the rank's threads.
#include "runtime/core/Context.h"
#include "runtime/core/Device.h"
#include "runtime/core/ElementType.h"
#include "runtime/core/Ports.h"
#include "runtime/cpu/MatmulStep.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace froe::rt {

namespace {

/// Peers read and write each other's arenas. A single rank has none, and takes private memory: the system backs it with
/// huge pages more often.
std::byte *mapArena(froe_rt &rt) {
  const ControlHeader &header = rt.control.header();
  void *arena = rt.control.arena(rt.rank);
  if (header.worldSize == 1 && header.arenaStride != 0)
    arena = mmap(nullptr, header.arenaStride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arena == MAP_FAILED)
    fail(rt, 1, fmt::format("an arena of {} bytes cannot be mapped: {}", header.arenaStride, strerror(errno)));
  madvise(arena, header.arenaStride, MADV_HUGEPAGE);
  return static_cast<std::byte *>(arena);
}

void fill(std::byte *out, const std::byte *element, int64_t bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(out + i * bytes, element, size_t(bytes));
}

class CpuDevice final : public Device {
public:
  explicit CpuDevice(froe_rt &rt) : rt(rt), memory(mapArena(rt)) {}

  std::byte *arena() override { return memory; }
  const void *weight(int32_t index) override { return rt.weights[index].data; }
  const void *constant(int32_t index) override { return rt.program->constants[index].data; }

  void loadInputs(const std::byte *tensors) override {
    for (int i = 0; i < rt.program->input_count; ++i) {
      const froe_port &port = rt.program->inputs[i];
      loadBlock(port, rt.mesh, rt.rank, tensors + rt.control.place(i).offset, memory + port.offset);
    }
  }
  void run() override { rt.program->run(&rt); }
  void storeOutputs(std::byte *tensors) override {
    for (int i = 0; i < rt.program->output_count; ++i) {
      const froe_port &port = rt.program->outputs[i];
      const TensorPlace &place = rt.control.place(rt.program->input_count + i);
      storeBlock(port, rt.mesh, rt.rank, memory + port.offset, tensors + place.offset);
    }
  }

  void beginStep(int32_t) override { stepBegan = isTracing(rt) ? nanoseconds() : 0; }
  void endStep(int32_t step) override {
    if (isTracing(rt))
      traceStep(rt, step, stepBegan, nanoseconds());
  }
  void kernel(int32_t step, froe_kernel kernel, void *const *buffers, int64_t extent, int64_t grain) override {
    std::atomic<int32_t> fault{FROE_FAULT_NONE};
    rt.pool->run(extent, grain, [&](int64_t begin, int64_t end) {
      if (int32_t raised = kernel(buffers, begin, end))
        fault.store(raised, std::memory_order_relaxed);
    });
    if (fault != FROE_FAULT_NONE)
      failOnFault(rt, step, fault);
  }
  void launch(int32_t, int32_t, int64_t, void *const *) override {
    fail(rt, 3, fmt::format("{}: a kernel for a device in a program for the CPU", whereIs(rt)));
  }
  void matmul(int32_t step, const froe_matmul &matmul, void *const *buffers) override {
    cpu::runMatmul(rt, step, matmul, buffers);
  }

  int64_t allReduce(int32_t, const Group &group, froe_reduce reduce, froe_type type, int64_t count, const void *in,
                    void *out) override {
    return rt.transport->allReduce(group, reduce, type, count, in, out);
  }
  int64_t allGather(int32_t, const Group &group, froe_type type, const Cut &cut, const void *in, void *out) override {
    return rt.transport->allGather(group, type, cut, in, out);
  }
  int64_t reduceScatter(int32_t, const Group &group, froe_reduce reduce, froe_type type, const Cut &cut, const void *in,
                        void *out) override {
    return rt.transport->reduceScatter(group, reduce, type, cut, in, out);
  }
  int64_t allToAll(int32_t, const Group &group, froe_type type, const Exchange &exchange, const void *in,
                   void *out) override {
    return rt.transport->allToAll(group, type, exchange, in, out);
  }

  void slice(froe_type type, const Cut &cut, const Part &part, const void *in, void *out) override {
    int64_t row = cut.inner * elementType(type).bytes;
    rt.pool->run(cut.outer, 1, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        auto *from = static_cast<const std::byte *>(in) + (o * cut.size + part.begin) * row;
        auto *to = static_cast<std::byte *>(out) + o * part.block * row;
        std::memcpy(to, from, size_t(part.valid * row));
        std::memset(to + part.valid * row, 0, size_t((part.block - part.valid) * row));
      }
    });
  }
  void mask(froe_type type, const Cut &cut, const Part &part, const void *neutral, const void *in, void *out) override {
    int64_t bytes = elementType(type).bytes, row = cut.inner * bytes;
    rt.pool->run(cut.outer, 1, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        auto *from = static_cast<const std::byte *>(in) + o * part.block * row;
        auto *to = static_cast<std::byte *>(out) + o * part.block * row;
        if (from != to)
          std::memcpy(to, from, size_t(part.valid * row));
        fill(to + part.valid * row, static_cast<const std::byte *>(neutral), bytes,
             (part.block - part.valid) * cut.inner);
      }
    });
  }

private:
  froe_rt &rt;
  std::byte *memory;
  int64_t stepBegan = 0;
};

} // namespace

std::unique_ptr<Device> makeCpuDevice(froe_rt &rt) { return std::make_unique<CpuDevice>(rt); }

} // namespace froe::rt

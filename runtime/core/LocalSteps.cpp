// Steps that need no other rank: generated kernels, and those whose meaning depends on the rank.
#include "runtime/core/Context.h"
#include "runtime/core/ElementType.h"

#include <cstring>
#include <fmt/format.h>

using namespace froe::rt;

namespace {

std::string_view describeFault(int32_t fault) {
  switch (fault) {
  case FROE_FAULT_INDEX:
    return "index out of range";
  case FROE_FAULT_DIVISION:
    return "integer division by zero";
  }
  return "unknown fault";
}

[[noreturn]] void failOnFault(froe_rt &rt, int32_t step, int32_t fault) {
  fail(rt, 1, fmt::format("node '{}': {} ({})", rt.program->steps[step].name, describeFault(fault), whereIs(rt)));
}

void fill(std::byte *out, const std::byte *element, int64_t bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(out + i * bytes, element, size_t(bytes));
}

} // namespace

void froe_rt_kernel(froe_rt *rt, int32_t step, froe_kernel kernel, void *const *buffers, int64_t extent,
                    int64_t grain) {
  StepScope scope(*rt, step);
  std::atomic<int32_t> fault{FROE_FAULT_NONE};
  rt->pool->run(extent, grain, [&](int64_t begin, int64_t end) {
    if (int32_t raised = kernel(buffers, begin, end))
      fault.store(raised, std::memory_order_relaxed);
  });
  if (fault != FROE_FAULT_NONE)
    failOnFault(*rt, step, fault);
}

void froe_rt_slice(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                   int64_t inner, const void *in, void *out) {
  StepScope scope(*rt, step);
  Part part = partOf(size, rt->mesh.blocks(*axes), rt->mesh.block(rt->rank, *axes));
  int64_t row = inner * elementType(type).bytes;
  rt->pool->run(outer, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      auto *from = static_cast<const std::byte *>(in) + (o * size + part.begin) * row;
      auto *to = static_cast<std::byte *>(out) + o * part.block * row;
      std::memcpy(to, from, size_t(part.valid * row));
      std::memset(to + part.valid * row, 0, size_t((part.block - part.valid) * row));
    }
  });
}

void froe_rt_mask(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                  int64_t inner, const void *neutral, const void *in, void *out) {
  StepScope scope(*rt, step);
  Part part = partOf(size, rt->mesh.blocks(*axes), rt->mesh.block(rt->rank, *axes));
  int64_t bytes = elementType(type).bytes, row = inner * bytes;
  rt->pool->run(outer, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      auto *from = static_cast<const std::byte *>(in) + o * part.block * row;
      auto *to = static_cast<std::byte *>(out) + o * part.block * row;
      if (from != to)
        std::memcpy(to, from, size_t(part.valid * row));
      fill(to + part.valid * row, static_cast<const std::byte *>(neutral), bytes, (part.block - part.valid) * inner);
    }
  });
}

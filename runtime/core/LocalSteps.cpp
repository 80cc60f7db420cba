// Steps that need no other rank: kernels, matrix products, and those whose meaning depends on the rank.
#include "runtime/core/Context.h"
#include "runtime/core/Device.h"

#include <fmt/format.h>

using namespace froe::rt;

namespace {

std::string_view faultText(int32_t fault) {
  switch (fault) {
  case FROE_FAULT_INDEX:
    return "index out of range";
  case FROE_FAULT_DIVISION:
    return "integer division by zero";
  }
  return "unknown fault";
}

Part ownPart(froe_rt &rt, const froe_axes &axes, int64_t size) {
  return partOf(size, rt.mesh.blocks(axes), rt.mesh.block(rt.rank, axes));
}

} // namespace

std::string froe::rt::describeFault(froe_rt &rt, int32_t step, int32_t fault) {
  return fmt::format("node '{}': {} ({})", rt.program->steps[step].name, faultText(fault), whereIs(rt));
}

void froe::rt::failOnFault(froe_rt &rt, int32_t step, int32_t fault) { fail(rt, 1, describeFault(rt, step, fault)); }

void *froe_rt_arena(froe_rt *rt) { return rt->device->arena(); }

const void *froe_rt_weight(froe_rt *rt, int32_t index) { return rt->device->weight(index); }

const void *froe_rt_constant(froe_rt *rt, int32_t index) { return rt->device->constant(index); }

void froe_rt_kernel(froe_rt *rt, int32_t step, froe_kernel kernel, void *const *buffers, int64_t extent,
                    int64_t grain) {
  StepScope scope(*rt, step);
  rt->device->kernel(step, kernel, buffers, extent, grain);
}

void froe_rt_launch(froe_rt *rt, int32_t step, int32_t kernel, int64_t grid, void *const *buffers) {
  StepScope scope(*rt, step);
  rt->device->launch(step, kernel, grid, buffers);
}

void froe_rt_matmul(froe_rt *rt, int32_t step, const froe_matmul *matmul, void *const *buffers) {
  StepScope scope(*rt, step);
  rt->device->matmul(step, *matmul, buffers);
}

void froe_rt_slice(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                   int64_t inner, const void *in, void *out) {
  StepScope scope(*rt, step);
  rt->device->slice(froe_type(type), {outer, size, inner}, ownPart(*rt, *axes, size), in, out);
}

void froe_rt_mask(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                  int64_t inner, const void *neutral, const void *in, void *out) {
  StepScope scope(*rt, step);
  rt->device->mask(froe_type(type), {outer, size, inner}, ownPart(*rt, *axes, size), neutral, in, out);
}

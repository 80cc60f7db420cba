// froe_rt.h's collectives: checked, timed and counted here, carried out by the device.
#include "runtime/core/CollectiveCheck.h"
#include "runtime/core/Context.h"
#include "runtime/core/Wait.h"

using namespace froe::rt;

namespace {

/// Runs `collective` (which returns the bytes sent) as a step.
template <typename Collective>
void runCollective(froe_rt &rt, int32_t step, const froe_axes &axes, Descriptor descriptor, const void *in, void *out,
                   Collective &&collective) {
  StepScope scope(rt, step);
  int64_t begin = nanoseconds();
  if (rt.control.header().checkCollectives) {
    descriptor.step = step;
    descriptor.inOffset = static_cast<const std::byte *>(in) - rt.arena;
    descriptor.outOffset = static_cast<std::byte *>(out) - rt.arena;
    checkCollective(rt, axes, descriptor);
  }
  Group group = rt.mesh.group(rt.rank, axes);
  int64_t sent = collective(group);
  if (rt.execution == 0)
    rt.record->bytesSent += uint64_t(sent);
  rt.communicationNanoseconds += nanoseconds() - begin;
}

Descriptor describe(Operation operation, int32_t type, int32_t reduce, std::initializer_list<int64_t> sizes) {
  Descriptor descriptor{};
  descriptor.operation = int32_t(operation);
  descriptor.type = type;
  descriptor.reduce = reduce;
  std::copy(sizes.begin(), sizes.end(), descriptor.sizes);
  return descriptor;
}

} // namespace

void froe_rt_all_reduce(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t reduce, int32_t type, int64_t count,
                        const void *in, void *out) {
  runCollective(*rt, step, *axes, describe(Operation::AllReduce, type, reduce, {count}), in, out,
                [&](const Group &group) {
                  return rt->device->allReduce(step, group, froe_reduce(reduce), froe_type(type), count, in, out);
                });
}

void froe_rt_all_gather(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                        int64_t inner, const void *in, void *out) {
  runCollective(*rt, step, *axes, describe(Operation::AllGather, type, -1, {outer, size, inner}), in, out,
                [&](const Group &group) {
                  return rt->device->allGather(step, group, froe_type(type), {outer, size, inner}, in, out);
                });
}

void froe_rt_reduce_scatter(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t reduce, int32_t type,
                            int64_t outer, int64_t size, int64_t inner, const void *in, void *out) {
  runCollective(*rt, step, *axes, describe(Operation::ReduceScatter, type, reduce, {outer, size, inner}), in, out,
                [&](const Group &group) {
                  return rt->device->reduceScatter(step, group, froe_reduce(reduce), froe_type(type),
                                                   {outer, size, inner}, in, out);
                });
}

void froe_rt_all_to_all(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int32_t gathers_first,
                        int64_t outer, int64_t first, int64_t middle, int64_t second, int64_t inner, const void *in,
                        void *out) {
  Descriptor descriptor = describe(Operation::AllToAll, type, -1, {outer, first, middle, second, inner});
  descriptor.gathersFirst = gathers_first;
  runCollective(*rt, step, *axes, descriptor, in, out, [&](const Group &group) {
    Exchange exchange{gathers_first != 0, outer, first, middle, second, inner};
    return rt->device->allToAll(step, group, froe_type(type), exchange, in, out);
  });
}

void froe_rt_wait(froe_rt *rt, int32_t step) { rt->device->waitFor(step); }

#include "runtime/core/CollectiveCheck.h"

#include "runtime/core/ElementType.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe::rt {

namespace {

constexpr std::string_view kOperations[] = {"the end of the execution", "all_reduce", "all_gather", "reduce_scatter",
                                            "all_to_all"};
constexpr std::string_view kReductions[] = {"sum", "product", "max", "min", "and", "or"};

std::string describeAxes(uint32_t axes) {
  std::vector<int> list;
  for (int axis = 0; axis < FROE_MAX_AXES; ++axis)
    if (axes >> axis & 1)
      list.push_back(axis);
  return fmt::format("{}", list);
}

/// e.g. "rank 1: all_reduce sum of f32, sizes [4096], axes [0], #17, step 3 'layer/1' (all_reduce)"
std::string describe(const Control &control, int rank, const Descriptor &descriptor) {
  std::string text = fmt::format("rank {}: {}", rank, kOperations[descriptor.operation]);
  if (descriptor.operation == int32_t(Operation::EndOfExecution))
    return text + fmt::format(", #{}", descriptor.sequence);
  if (descriptor.reduce >= 0 && size_t(descriptor.reduce) < std::size(kReductions))
    text += fmt::format(" {}", kReductions[descriptor.reduce]);
  text += fmt::format(" of {}, sizes [", isElementType(descriptor.type) ? elementType(descriptor.type).name : "?");
  int count = descriptor.operation == int32_t(Operation::AllReduce)  ? 1
              : descriptor.operation == int32_t(Operation::AllToAll) ? 5
                                                                     : 3;
  text += fmt::format("{}]", fmt::join(descriptor.sizes, descriptor.sizes + count, ", "));
  return text + fmt::format(", axes {}, arena {} to {}, #{}, {}", describeAxes(descriptor.axes), descriptor.inOffset,
                            descriptor.outOffset, descriptor.sequence, control.describeStep(rank, descriptor.step));
}

} // namespace

void checkCollective(froe_rt &rt, const froe_axes &axes, Descriptor descriptor) {
  if (!rt.mesh.valid(axes))
    fail(rt, 3, fmt::format("{}: the mesh has no such axes", whereIs(rt)));
  for (int i = 0; i < axes.count; ++i)
    descriptor.axes |= 1u << axes.axes[i];
  int64_t sequence = rt.collectiveSequence++;
  descriptor.sequence = sequence;
  // Two places, used in turns: a fast rank is at most one collective ahead of one that still compares.
  size_t slot = size_t(sequence % 2);
  rt.record->descriptors[slot] = descriptor;
  rt.transport->barrier();
  for (int other = 0; other < rt.mesh.size(); ++other) {
    const Descriptor &theirs = rt.control.rank(other).descriptors[slot];
    if (std::memcmp(&theirs, &descriptor, sizeof descriptor) != 0)
      fail(rt, 3,
           fmt::format("collectives do not match: {}; {}", describe(rt.control, rt.rank, descriptor),
                       describe(rt.control, other, theirs)));
  }
}

void checkEndOfExecution(froe_rt &rt) {
  Descriptor end{};
  end.step = -1;
  if (rt.control.header().checkCollectives)
    checkCollective(rt, froe_axes{}, end);
}

} // namespace froe::rt

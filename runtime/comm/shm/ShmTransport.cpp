#include "runtime/comm/shm/ShmTransport.h"

#include "runtime/comm/shm/Reduce.h"
#include "runtime/core/Context.h"
#include "runtime/core/ElementType.h"
#include "runtime/core/Wait.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace froe::rt {

namespace {

constexpr int64_t kSleepNanoseconds = 10'000'000; // between looks at the abort word; a barrier's end wakes sooner
constexpr int64_t kBytesPerPiece = 64 << 10;      // less is not worth a second thread

int64_t grainFor(int64_t bytesPerUnit) {
  return std::max<int64_t>(1, kBytesPerPiece / std::max<int64_t>(1, bytesPerUnit));
}

/// Copies the valid part of a row and clears the rest of its block.
void copyPadded(std::byte *to, const std::byte *from, int64_t valid, int64_t block) {
  std::memcpy(to, from, size_t(valid));
  if (valid != block)
    std::memset(to + valid, 0, size_t(block - valid));
}

} // namespace

ShmTransport::ShmTransport(froe_rt &rt) : rt(rt) {}

std::byte *ShmTransport::peer(int rank, const void *mine) const {
  auto *own = static_cast<std::byte *>(const_cast<void *>(mine));
  return rank == rt.rank ? own : rt.control.arena(rank) + (own - rt.arena);
}

std::string ShmTransport::laggards() const {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < rt.control.header().worldSize; ++rank)
    if (rt.control.rank(rank).barriers.load() < rt.record->barriers.load())
      ranks.push_back(fmt::format("rank {}", rank));
  return ranks.empty() ? "the others" : fmt::format("{}", fmt::join(ranks, ", "));
}

void ShmTransport::checkWait(int64_t begin) {
  const ControlHeader &header = rt.control.header();
  if (rt.control.failed())
    _exit(4); // the failure is another's, and written down
  bool starting = rt.execution < 0 || (rt.record->step.load(std::memory_order_relaxed) == 0 && rt.execution == 0);
  int64_t limit = starting ? header.initTimeoutNanoseconds : header.collectiveTimeoutNanoseconds;
  if (nanoseconds() - begin < limit)
    return;
  std::string message = fmt::format("rank {} waited {:.1f} s for {} in {}", rt.rank, double(limit) * 1e-9, laggards(),
                                    rt.control.describeStep(rt.rank, rt.record->step - 1));
  for (int rank = 0; rank < header.worldSize; ++rank)
    message += fmt::format("\n  rank {}: {}", rank, rt.control.describeProgress(rank));
  fail(rt, 4, message);
}

void ShmTransport::barrier() { barrier(rt.mesh.allAxes(), 0, rt.mesh.size()); }

void ShmTransport::barrier(uint32_t axes, int first, int size) {
  if (size == 1)
    return;
  rt.record->barriers.store(rt.record->barriers.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  BarrierWords &words = rt.control.barrier(axes, first);
  uint32_t generation = words.generation.load(std::memory_order_relaxed);
  if (words.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == uint32_t(size)) {
    words.arrived.store(0, std::memory_order_relaxed);
    words.generation.fetch_add(1, std::memory_order_seq_cst);
    wakeSleepers(words.generation, words.sleepers, true);
    return;
  }
  int64_t begin = nanoseconds();
  waitWhileEqual(words.generation, generation, words.sleepers, true, kSleepNanoseconds, [&] { checkWait(begin); });
}

int64_t ShmTransport::allReduce(const Group &group, froe_reduce reduce, froe_type type, int64_t count, const void *in,
                                void *out) {
  if (!canReduce(reduce, type))
    fail(rt, 3, fmt::format("{}: this reduction is not defined for {}", whereIs(rt), elementType(type).name));
  int64_t bytes = elementType(type).bytes;
  int64_t line = 64 / bytes; // so that no two ranks write to one cache line
  int64_t chunk = ((count + group.size() - 1) / group.size() + line - 1) / line * line;
  int64_t first = std::min(group.order * chunk, count), mine = std::min(chunk, count - first);
  barrier(group);
  rt.pool->run(mine, grainFor(bytes), [&](int64_t begin, int64_t end) {
    std::vector<const void *> ins;
    std::vector<void *> outs;
    for (int rank : group.ordered) {
      ins.push_back(peer(rank, in) + (first + begin) * bytes);
      outs.push_back(peer(rank, out) + (first + begin) * bytes);
    }
    reduceInto(reduce, type, ins, outs, end - begin);
  });
  barrier(group);
  return (count - mine) * bytes + mine * bytes * (group.size() - 1);
}

int64_t ShmTransport::allGather(const Group &group, froe_type type, const Cut &cut, const void *in, void *out) {
  int64_t row = cut.inner * elementType(type).bytes, blocks = group.size();
  Part own = partOf(cut.size, blocks, group.position);
  barrier(group);
  rt.pool->run(cut.outer * blocks, grainFor(own.block * row), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t o = i / blocks, block = i % blocks;
      Part part = partOf(cut.size, blocks, block);
      std::memcpy(static_cast<std::byte *>(out) + (o * cut.size + part.begin) * row,
                  peer(group.members[size_t(block)], in) + o * part.block * row, size_t(part.valid * row));
    }
  });
  barrier(group);
  return cut.outer * own.valid * row * (blocks - 1);
}

int64_t ShmTransport::reduceScatter(const Group &group, froe_reduce reduce, froe_type type, const Cut &cut,
                                    const void *in, void *out) {
  if (!canReduce(reduce, type))
    fail(rt, 3, fmt::format("{}: this reduction is not defined for {}", whereIs(rt), elementType(type).name));
  int64_t row = cut.inner * elementType(type).bytes;
  Part own = partOf(cut.size, group.size(), group.position);
  barrier(group);
  rt.pool->run(cut.outer, grainFor(own.block * row), [&](int64_t begin, int64_t end) {
    std::vector<const void *> ins(size_t(group.size()));
    for (int64_t o = begin; o < end; ++o) {
      for (size_t r = 0; r < ins.size(); ++r)
        ins[r] = peer(group.ordered[r], in) + (o * cut.size + own.begin) * row;
      std::byte *to = static_cast<std::byte *>(out) + o * own.block * row;
      void *outs[] = {to};
      reduceInto(reduce, type, ins, outs, own.valid * cut.inner);
      std::memset(to + own.valid * row, 0, size_t((own.block - own.valid) * row));
    }
  });
  barrier(group);
  return cut.outer * (cut.size - own.valid) * row;
}

int64_t ShmTransport::allToAll(const Group &group, froe_type type, const Exchange &exchange, const void *in,
                               void *out) {
  const auto &[gathersFirst, outer, first, middle, second, inner] = exchange;
  int64_t row = inner * elementType(type).bytes, blocks = group.size();
  Part ownFirst = partOf(first, blocks, group.position), ownSecond = partOf(second, blocks, group.position);
  auto *to = static_cast<std::byte *>(out);

  auto gatherFirst = [&](int64_t o, int64_t f) { // row f of `first`, all of which come to this rank
    int64_t owner = f / ownFirst.block, f0 = f % ownFirst.block;
    const std::byte *from = peer(group.members[size_t(owner)], in);
    for (int64_t m = 0; m < middle; ++m)
      copyPadded(to + ((o * first + f) * middle + m) * ownSecond.block * row,
                 from + (((o * ownFirst.block + f0) * middle + m) * second + ownSecond.begin) * row,
                 ownSecond.valid * row, ownSecond.block * row);
  };
  auto gatherSecond = [&](int64_t o, int64_t f) { // row f of this rank's block of `first`
    if (f >= ownFirst.valid)
      return void(std::memset(to + (o * ownFirst.block + f) * middle * second * row, 0, size_t(middle * second * row)));
    for (int64_t m = 0; m < middle; ++m)
      for (int64_t block = 0; block < blocks; ++block) {
        Part part = partOf(second, blocks, block);
        std::memcpy(to + (((o * ownFirst.block + f) * middle + m) * second + part.begin) * row,
                    peer(group.members[size_t(block)], in) +
                        ((o * first + ownFirst.begin + f) * middle + m) * part.block * row,
                    size_t(part.valid * row));
      }
  };

  int64_t rows = gathersFirst ? first : ownFirst.block;
  barrier(group);
  rt.pool->run(outer * rows, grainFor(middle * second * row), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      gathersFirst ? gatherFirst(i / rows, i % rows) : gatherSecond(i / rows, i % rows);
  });
  barrier(group);
  return gathersFirst ? outer * ownFirst.valid * middle * (second - ownSecond.valid) * row
                      : outer * (first - ownFirst.valid) * middle * ownSecond.valid * row;
}

} // namespace froe::rt

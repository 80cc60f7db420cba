// How data gets from one rank to another, and what becomes of it.
#include "test/doubles/nccl/Meeting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace froe::doubles {

namespace {

struct BFloat16 {
  uint16_t bits;
};

float widen(_Float16 value) { return float(value); }
float widen(BFloat16 value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }
template <class T> T widen(T value) { return value; }

template <class T, class Wide> T narrow(Wide value) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    auto bits = std::bit_cast<uint32_t>(value);
    return {uint16_t(std::isnan(value) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  } else {
    return T(value);
  }
}

template <class Wide> Wide combine(Wide a, Wide b, int32_t reduction) {
  switch (reduction) {
  case kNcclSum:
    return Wide(a + b);
  case kNcclProduct:
    return Wide(a * b);
  case kNcclMax: // NaN is not kept, as NCCL does not promise it
    return b > a ? b : a;
  default:
    return b < a ? b : a;
  }
}

template <class T> T load(const std::byte *data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void reduceAs(const std::vector<const std::byte *> &ins, std::byte *out, size_t count, int32_t reduction) {
  for (size_t i = 0; i < count; ++i) {
    auto sum = widen(load<T>(ins[0], i));
    for (size_t rank = 1; rank < ins.size(); ++rank)
      sum = combine(sum, widen(load<T>(ins[rank], i)), reduction);
    T value = narrow<T>(sum);
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

/// A transfer on its way.
struct Progress {
  Transfer transfer;
  size_t done = 0;
  bool began = false;

  size_t bytes() const { return transfer.count * typeBytes(transfer.type); }
  bool finished() const { return began && done == bytes(); }
};

bool send(Meeting &meeting, Progress &progress) {
  Mailbox &box = meeting.mailbox(meeting.rank, progress.transfer.peer);
  if (box.full)
    return false;
  box.count = progress.transfer.count;
  box.type = progress.transfer.type;
  box.bytes = uint32_t(std::min(kMailBytes, progress.bytes() - progress.done));
  std::memcpy(box.data, progress.transfer.data + progress.done, box.bytes);
  progress.done += box.bytes;
  progress.began = true;
  box.full = 1;
  return true;
}

bool receive(Meeting &meeting, Progress &progress) {
  const Transfer &transfer = progress.transfer;
  Mailbox &box = meeting.mailbox(transfer.peer, meeting.rank);
  if (!box.full)
    return false;
  if (box.count != transfer.count || box.type != transfer.type)
    ncclAlarm(fmt::format("communicator {}: rank {} sends {}, rank {} expects {}", meeting.name, transfer.peer,
                          describe({Kind::Send, box.type, 0, 0, box.count}), meeting.rank,
                          describe({Kind::Recv, transfer.type, 0, 0, transfer.count})));
  std::memcpy(transfer.data + progress.done, box.data, box.bytes);
  progress.done += box.bytes;
  progress.began = true;
  box.full = 0;
  return true;
}

} // namespace

size_t typeBytes(int32_t type) {
  constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}

void reduceAll(const std::vector<const std::byte *> &ins, std::byte *out, size_t count, int32_t type,
               int32_t reduction) {
  switch (type) {
  case kNcclI8:
    return reduceAs<int8_t>(ins, out, count, reduction);
  case kNcclU8:
    return reduceAs<uint8_t>(ins, out, count, reduction);
  case kNcclI32:
    return reduceAs<int32_t>(ins, out, count, reduction);
  case kNcclU32:
    return reduceAs<uint32_t>(ins, out, count, reduction);
  case kNcclI64:
    return reduceAs<int64_t>(ins, out, count, reduction);
  case kNcclU64:
    return reduceAs<uint64_t>(ins, out, count, reduction);
  case kNcclF16:
    return reduceAs<_Float16>(ins, out, count, reduction);
  case kNcclF32:
    return reduceAs<float>(ins, out, count, reduction);
  case kNcclF64:
    return reduceAs<double>(ins, out, count, reduction);
  default:
    return reduceAs<BFloat16>(ins, out, count, reduction);
  }
}

bool transfer(Meeting &meeting, const std::vector<Transfer> &transfers) {
  std::vector<Progress> open;
  for (const Transfer &one : transfers)
    open.push_back({one});
  // Messages between two ranks keep their order: of those to (or from) one peer only the first moves.
  auto step = [&] {
    for (size_t i = 0; i < open.size(); ++i) {
      bool first = std::none_of(open.begin(), open.begin() + std::ptrdiff_t(i), [&](const Progress &other) {
        return other.transfer.peer == open[i].transfer.peer && other.transfer.sends == open[i].transfer.sends;
      });
      if (first)
        while (!open[i].finished() && (open[i].transfer.sends ? send(meeting, open[i]) : receive(meeting, open[i])))
          ;
    }
    std::erase_if(open, [](const Progress &progress) { return progress.finished(); });
    return open.empty();
  };
  return meeting.waitFor(step, [&] {
    const Transfer &stuck = open.front().transfer;
    return fmt::format("rank {} on communicator {} waits to {} rank {}: {} {}", meeting.rank, meeting.name,
                       stuck.sends ? "send to" : "receive from", stuck.peer, stuck.count,
                       describe({stuck.sends ? Kind::Send : Kind::Recv, stuck.type, 0, 0, stuck.count}));
  });
}

} // namespace froe::doubles

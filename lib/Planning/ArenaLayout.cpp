#include "froe/Planning/ArenaLayout.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace froe {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

bool overlapInTime(const Buffer &a, const Buffer &b) { return a.first <= b.last && b.first <= a.last; }

/// The start of the tightest gap of at least `bytes` between `placed`, which are sorted by offset.
int64_t findGap(std::span<const Buffer *const> placed, int64_t bytes) {
  int64_t best = -1, bestSize = std::numeric_limits<int64_t>::max(), end = 0;
  for (const Buffer *buffer : placed) {
    int64_t gap = buffer->offset - end;
    if (gap >= bytes && gap < bestSize) {
      best = end;
      bestSize = gap;
    }
    end = std::max(end, buffer->offset + aligned(buffer->bytes));
  }
  return best >= 0 ? best : end;
}

/// The bytes that are alive at once at most: no layout needs less.
int64_t mostAlive(std::span<const Buffer> buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes; // what dies goes after what is born in the same step
  for (const Buffer &buffer : buffers) {
    changes.emplace_back(2 * buffer.first, aligned(buffer.bytes));
    changes.emplace_back(buffer.last == std::numeric_limits<int64_t>::max() ? buffer.last : 2 * buffer.last + 1,
                         -aligned(buffer.bytes));
  }
  std::ranges::sort(changes);
  int64_t alive = 0, most = 0;
  for (const auto &[when, bytes] : changes)
    most = std::max(most, alive += bytes);
  return most;
}

/// Places one after the other, each into the tightest gap that fits, and returns the bytes needed.
int64_t place(std::span<Buffer *const> order) {
  int64_t total = 0;
  std::vector<const Buffer *> placed; // by offset
  for (Buffer *buffer : order) {
    std::vector<const Buffer *> rivals;
    std::ranges::copy_if(placed, std::back_inserter(rivals),
                         [&](const Buffer *other) { return overlapInTime(*buffer, *other); });
    buffer->offset = findGap(rivals, aligned(buffer->bytes));
    placed.insert(
        std::ranges::upper_bound(placed, buffer->offset, {}, [](const Buffer *other) { return other->offset; }),
        buffer);
    total = std::max(total, buffer->offset + aligned(buffer->bytes));
  }
  return total;
}

/// Orders worth trying, as what comes first in them.
using Rank = std::tuple<int64_t, int64_t, int64_t>;
constexpr Rank (*kOrders[])(const Buffer &) = {
    [](const Buffer &buffer) { return Rank(-buffer.bytes, buffer.first, 0); },
    [](const Buffer &buffer) { return Rank(-buffer.bytes, -buffer.last, 0); },
    [](const Buffer &buffer) { return Rank(buffer.first, -buffer.last, -buffer.bytes); },
    [](const Buffer &buffer) { return Rank(-buffer.last, buffer.first, -buffer.bytes); },
    [](const Buffer &buffer) { return Rank(buffer.first - buffer.last, -buffer.bytes, buffer.first); }};

/// So often what lies highest is placed first instead.
constexpr int kRounds = 24;

} // namespace

int64_t layOut(std::span<Buffer> buffers) {
  int64_t least = mostAlive(buffers), best = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> offsets(buffers.size());
  std::vector<Buffer *> order(buffers.size()), bestOrder;
  auto attempt = [&] {
    int64_t total = place(order);
    if (total >= best)
      return;
    best = total;
    bestOrder = order;
    std::ranges::transform(buffers, offsets.begin(), &Buffer::offset);
  };
  for (auto rankOf : kOrders) {
    std::ranges::transform(buffers, order.begin(), [](Buffer &buffer) { return &buffer; });
    std::ranges::stable_sort(order, {}, [&](const Buffer *buffer) { return rankOf(*buffer); });
    if (best > least)
      attempt();
  }
  order = bestOrder;
  for (int round = 0; round < kRounds && best > least; ++round) {
    auto top = std::ranges::max_element(order, {}, [](const Buffer *buffer) { return buffer->offset + buffer->bytes; });
    std::rotate(order.begin(), top, top + 1);
    attempt();
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    buffers[i].offset = offsets[i];
  return buffers.empty() ? 0 : best;
}

} // namespace froe

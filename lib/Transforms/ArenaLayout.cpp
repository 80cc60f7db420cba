#include "ArenaLayout.h"

#include <algorithm>
#include <limits>
#include <tuple>
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

} // namespace

int64_t layOut(std::span<Buffer> buffers) {
  std::vector<Buffer *> order(buffers.size());
  std::transform(buffers.begin(), buffers.end(), order.begin(), [](Buffer &buffer) { return &buffer; });
  std::ranges::sort(order, [](const Buffer *a, const Buffer *b) {
    return std::tie(b->bytes, a->first, a) < std::tie(a->bytes, b->first, b); // addresses: the order given
  });

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

} // namespace froe

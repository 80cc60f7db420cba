#include "froe/Planning/ArenaLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace froe {
namespace {

bool meet(const Buffer &a, const Buffer &b) {
  bool inTime = a.first <= b.last && b.first <= a.last;
  bool inPlace = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return inTime && inPlace;
}

TEST(ArenaLayout, ReusesBytesOfTheDead) {
  std::vector<Buffer> buffers{{128, 0, 1, 0}, {128, 1, 2, 0}, {128, 2, 3, 0}};
  EXPECT_EQ(layOut(buffers), 256);
  EXPECT_EQ(buffers[0].offset, buffers[2].offset);
}

TEST(ArenaLayout, RoundsPlacesToTheAlignment) {
  std::vector<Buffer> buffers{{1, 0, 9, 0}, {1, 0, 9, 0}};
  EXPECT_EQ(layOut(buffers), 2 * kArenaAlignment);
}

TEST(ArenaLayout, TakesTheTightestGap) {
  // 512 and 256 bytes are free between the long-lived ones when the last buffer of 200 bytes comes.
  std::vector<Buffer> buffers{{1024, 0, 9, 0}, {512, 0, 1, 0}, {448, 0, 9, 0},
                              {256, 0, 1, 0},  {220, 0, 9, 0}, {200, 5, 6, 0}};
  layOut(buffers);
  EXPECT_EQ(buffers[5].offset, buffers[3].offset);
}

TEST(ArenaLayout, TriesOrdersUntilNoByteIsWasted) {
  // By size alone the halves between wholes would come to lie above one another: 256 bytes.
  std::vector<Buffer> buffers;
  for (int64_t layer = 0; layer < 4; ++layer) {
    buffers.push_back({128, 3 * layer, 3 * layer + 1, 0});
    buffers.push_back({64, 3 * layer + 1, 3 * layer + 2, 0});
    buffers.push_back({64, 3 * layer + 2, 3 * layer + 3, 0});
  }
  EXPECT_EQ(layOut(buffers), 192);
}

TEST(ArenaLayout, NeverOverlapsTheLiving) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 40; ++i) {
      int64_t first = random() % 60;
      buffers.push_back({int64_t(random() % 5000), first, first + int64_t(random() % 20), 0});
    }
    int64_t total = layOut(buffers);
    for (size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(buffers[i].offset % kArenaAlignment, 0);
      EXPECT_LE(buffers[i].offset + buffers[i].bytes, total);
      for (size_t j = 0; j < i; ++j)
        EXPECT_FALSE(meet(buffers[i], buffers[j])) << "buffers " << i << " and " << j;
    }
  }
}

} // namespace
} // namespace froe

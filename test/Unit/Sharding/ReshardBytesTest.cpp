// Bytes that planned paths send, against what no way of resharding can do without.
#include "Devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace froe {
namespace {

constexpr int64_t kElementBytes = 4096; // bytes decide, not the number of steps

bool holds(const std::vector<Interval> &block, std::span<const int64_t> index) {
  for (size_t d = 0; d < block.size(); ++d)
    if (index[d] < block[d].begin || index[d] >= block[d].end)
      return false;
  return true;
}

/// Transfers of one element between two devices that any algorithm needs, where `has` and `needs` say which devices
/// store the element, or one of its `terms` partial values, and which must have its value.
///
/// Whole values: each device that lacks it receives it. Terms: before the first device has their combination, each term
/// that is not its own was sent by someone; every further device receives something after that.
int64_t fewestTransfers(const std::vector<bool> &has, const std::vector<bool> &needs, int64_t terms) {
  int64_t needing = 0, lacking = 0;
  for (size_t device = 0; device < has.size(); ++device) {
    needing += needs[device];
    lacking += needs[device] && !has[device];
  }
  if (terms == 1 || needing == 0)
    return lacking;
  return (lacking < needing ? terms - 1 : terms) + needing - 1;
}

/// Bytes that all devices together must send to get from one sharding to another that is not partial.
int64_t fewestBytes(const std::vector<int64_t> &shape, const Sharding &from, const Sharding &to, const Mesh &mesh) {
  std::vector<std::vector<Interval>> before, after;
  for (int64_t device = 0; device < mesh.deviceCount(); ++device) {
    before.push_back(shard(shape, from, mesh, device));
    after.push_back(shard(shape, to, mesh, device));
  }
  int64_t transfers = 0;
  test::Array(shape).forEach([&](std::span<const int64_t> index) {
    std::vector<bool> has, needs;
    for (size_t device = 0; device < before.size(); ++device) {
      has.push_back(holds(before[device], index));
      needs.push_back(holds(after[device], index));
    }
    transfers += fewestTransfers(has, needs, mesh.blocks(from.partial));
  });
  return transfers * kElementBytes;
}

class ReshardBytes : public testing::TestWithParam<const char *> {};

TEST_P(ReshardBytes, AreThoseThatMustBeSent) {
  Mesh mesh = Mesh::parse(GetParam()).value();
  std::vector<int64_t> shape = {12, 12}; // every cut is even: no padding is sent
  double worst = 1;
  std::string worstPair = "none";
  for (const Sharding &from : test::allShardings(mesh, 2))
    for (const Sharding &to : test::allShardings(mesh, 2)) {
      if (to.isPartial())
        continue; // terms may be anything that adds up: what must be sent is not known
      ReshardPath path = planReshard(shape, kElementBytes, from, to, mesh).value();
      int64_t sent = mesh.deviceCount() * path.bytesSent(shape, kElementBytes, from, mesh);
      int64_t bound = fewestBytes(shape, from, to, mesh);
      std::string pair = fmt::format("{} -> {}: {}", from.str(mesh), to.str(mesh), path.str(mesh));
      EXPECT_GE(sent, bound) << pair;
      if (path.steps.size() < 2 || bound == 0)
        EXPECT_EQ(sent, bound) << pair;
      if (bound > 0 && double(sent) / double(bound) > worst) {
        worst = double(sent) / double(bound);
        worstPair = pair;
      }
    }
  fmt::print("mesh {}: at worst {:.2f} times what must be sent: {}\n", mesh.str(), worst, worstPair);
  // The order of two axes in one dim changes only by detours: no step swaps blocks between two devices.
  EXPECT_LE(worst, 3.5) << worstPair;
}

INSTANTIATE_TEST_SUITE_P(Planes, ReshardBytes, testing::Values("2", "3", "2x2"));

} // namespace
} // namespace froe

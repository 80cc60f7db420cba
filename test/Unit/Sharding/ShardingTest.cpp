#include "Devices.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

TEST(Sharding, Prints) {
  Mesh mesh = Mesh::parse("2x4").value();
  EXPECT_EQ((Sharding{{{0}, {}}, {}}.str(mesh)), R"([{"x"}, {}])");
  EXPECT_EQ((Sharding{{{}, {1, 0}}, {}}.str(mesh)), R"([{}, {"y", "x"}])");
  EXPECT_EQ((Sharding{{{0}, {}}, {1}, ReduceKind::Max}.str(mesh)), R"([{"x"}, {}], partial<max>{"y"})");
  EXPECT_EQ(Sharding::replicated(0).str(mesh), "[]");
}

TEST(Sharding, SaysWhatIsWrong) {
  Mesh mesh = Mesh::parse("2x4").value();
  EXPECT_EQ((Sharding{{{0}, {0}}, {}}.check(mesh, 2)), "axis 'x' is used twice");
  EXPECT_EQ((Sharding{{{0}, {}}, {0}}.check(mesh, 2)), "axis 'x' is used twice");
  EXPECT_EQ((Sharding{{{2}, {}}, {}}.check(mesh, 2)), "axis 2 is not one of the 2 axes of the mesh");
  EXPECT_EQ((Sharding{{{0}}, {}}.check(mesh, 2)), "expected a sharding of 2 dims, found 1");
  EXPECT_EQ((Sharding{{{}}, {1, 0}}.check(mesh, 1)), "expected partial axes in the order of the mesh");
  EXPECT_EQ((Sharding{{{1}, {}}, {0}}.check(mesh, 2)), std::nullopt);
}

TEST(Sharding, KindsHaveNames) {
  for (ReduceKind kind : kReduceKinds)
    EXPECT_EQ(parseReduceKind(name(kind)), kind);
  EXPECT_EQ(parseReduceKind("mean"), std::nullopt);
}

TEST(Sharding, UnevenBlocks) {
  Mesh mesh = Mesh::parse("2x2").value();
  std::vector<int64_t> shape = {5, 6};
  Sharding sharding{{{1, 0}, {}}, {}};
  EXPECT_EQ(localShape(shape, sharding, mesh), (std::vector<int64_t>{2, 6}));
  EXPECT_TRUE(isUneven(shape, sharding, mesh, 0));
  EXPECT_FALSE(isUneven(shape, sharding, mesh, 1));
  // Device (x, y) holds block 2y + x.
  EXPECT_EQ(shard(shape, sharding, mesh, 0)[0], (Interval{0, 2}));
  EXPECT_EQ(shard(shape, sharding, mesh, 2)[0], (Interval{2, 4}));
  EXPECT_EQ(shard(shape, sharding, mesh, 1)[0], (Interval{4, 5}));
  EXPECT_EQ(shard(shape, sharding, mesh, 3)[0].size(), 0);
}

TEST(Sharding, BlocksCoverEachElementOnceAReplica) {
  Mesh mesh = Mesh::parse("2x3").value();
  std::vector<int64_t> shape = {5, 4};
  for (const Sharding &sharding : test::allShardings(mesh, 2)) {
    int64_t replicas = mesh.deviceCount() / mesh.blocks(sharding.dims[0]) / mesh.blocks(sharding.dims[1]), elements = 0;
    for (int64_t device = 0; device < mesh.deviceCount(); ++device) {
      std::vector<Interval> valid = shard(shape, sharding, mesh, device);
      elements += valid[0].size() * valid[1].size();
    }
    EXPECT_EQ(elements, 20 * replicas) << sharding.str(mesh);
  }
}

} // namespace
} // namespace froe

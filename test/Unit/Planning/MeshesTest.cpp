#include "froe/Planning/Meshes.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

std::vector<std::string> texts(const char *cluster, int64_t devices, int maxAxes) {
  std::vector<std::string> found;
  for (const Mesh &mesh : meshesFor(Cluster::load(cluster).value(), devices, maxAxes))
    found.push_back(mesh.str());
  return found;
}

TEST(Meshes, OfOneNode) {
  EXPECT_EQ(texts("h100:8", 1, 3), (std::vector<std::string>{"x=1"}));
  // The order of axes says nothing where all devices lie alike.
  EXPECT_EQ(texts("h100:8", 8, 3), (std::vector<std::string>{"x=8", "x=2,y=4", "x=2,y=2,z=2"}));
  EXPECT_EQ(texts("cpu", 6, 2), (std::vector<std::string>{"x=6", "x=2,y=3"}));
  EXPECT_EQ(texts("cpu", 7, 3), (std::vector<std::string>{"x=7"}));
}

TEST(Meshes, OfTwoNodes) {
  // y=8 is a node, y=2 a part of one.
  EXPECT_EQ(texts("h100:8x2", 16, 2), (std::vector<std::string>{"x=16", "x=2,y=8", "x=4,y=4", "x=8,y=2"}));
}

int64_t distinct(const char *cluster, int64_t devices, std::vector<int64_t> stages, int maxAxes) {
  int64_t count = 0;
  for (int64_t stage : stages)
    count += int64_t(meshesFor(Cluster::load(cluster).value(), devices / stage, maxAxes).size());
  return count;
}

TEST(Meshes, ManyAreAlike) {
  std::vector<int64_t> stages = {1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(distinct("h100:8x128", 1024, stages, 3), 139); // of 168
  EXPECT_EQ(distinct("h100:8x128", 1024, stages, 4), 248); // of 378
}

TEST(Meshes, HoldAllDevices) {
  for (const Mesh &mesh : meshesFor(Cluster::load("h100:8x120").value(), 960, 3))
    EXPECT_EQ(mesh.deviceCount(), 960) << mesh.str();
}

} // namespace
} // namespace froe

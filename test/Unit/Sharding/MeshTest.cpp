#include "froe/Sharding/Mesh.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

std::string error(std::string_view text) {
  auto mesh = Mesh::parse(text);
  return mesh ? "" : mesh.error();
}

TEST(Mesh, ParsesBothForms) {
  EXPECT_EQ(Mesh::parse("2x4")->str(), "x=2,y=4");
  EXPECT_EQ(Mesh::parse("3")->str(), "x=3");
  EXPECT_EQ(Mesh::parse("data=2,model=4")->str(), "data=2,model=4");
  EXPECT_EQ(Mesh::parse("1x1x1x2")->str(), "x=1,y=1,z=1,w=2");
  EXPECT_EQ(Mesh::parse("data=2,model=4"), Mesh::parse(Mesh::parse("data=2,model=4")->str()));
}

TEST(Mesh, SaysWhatIsWrong) {
  EXPECT_EQ(error("2x0"), "mesh '2x0': expected sizes of at least 1, as in '2x4' or 'data=2,model=4', found '0'");
  EXPECT_EQ(error(""), "mesh '': expected sizes of at least 1, as in '2x4' or 'data=2,model=4', found ''");
  EXPECT_EQ(error("-2"), "mesh '-2': expected sizes of at least 1, as in '2x4' or 'data=2,model=4', found '-2'");
  EXPECT_EQ(error("99999999999999999999"), "mesh '99999999999999999999': expected sizes of at least 1, as in '2x4' or "
                                           "'data=2,model=4', found '99999999999999999999'");
  EXPECT_EQ(error("1x2x1x2x1"), "mesh '1x2x1x2x1': expected at most 4 axes");
  EXPECT_EQ(error("a=2,a=2"), "mesh 'a=2,a=2': axis 'a' is named twice");
  EXPECT_EQ(error("a=2,b"), "mesh 'a=2,b': expected NAME=SIZE, found 'b'");
  EXPECT_EQ(error("2a=2"), "mesh '2a=2': expected an axis name of letters, digits and '_', found '2a'");
  EXPECT_EQ(error("1024x1025"), "mesh '1024x1025': expected at most 1048576 devices");
  EXPECT_EQ(error("1048576x1048576x1048576x1048576"),
            "mesh '1048576x1048576x1048576x1048576': expected at most 1048576 devices");
  EXPECT_EQ(error("1024x1024"), "");
}

TEST(Mesh, NumbersDevicesRowMajor) {
  Mesh mesh = Mesh::parse("2x3x4").value();
  EXPECT_EQ(mesh.deviceCount(), 24);
  EXPECT_EQ(mesh.coordinate(17, 0), 1); // 17 = 1*12 + 1*4 + 1
  EXPECT_EQ(mesh.coordinate(17, 1), 1);
  EXPECT_EQ(mesh.coordinate(17, 2), 1);
  EXPECT_EQ(mesh.blockIndex(17, {2, 0}), 3);
  EXPECT_EQ(mesh.blocks({2, 0}), 8);
  EXPECT_EQ(mesh.blocks({}), 1);
}

TEST(Mesh, GroupsAreInBlockOrder) {
  Mesh mesh = Mesh::parse("2x3").value();
  EXPECT_EQ(mesh.group(4, {0}), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(mesh.group(4, {1}), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(mesh.group(4, {1, 0}), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(mesh.group(4, {}), (std::vector<int64_t>{4}));
  for (int64_t device = 0; device < 6; ++device)
    EXPECT_EQ(mesh.group(device, {1, 0})[mesh.blockIndex(device, {1, 0})], device);
}

TEST(Mesh, FindsAxesByName) {
  Mesh mesh = Mesh::parse("data=2,model=4").value();
  EXPECT_EQ(mesh.find("model"), 1);
  EXPECT_EQ(mesh.find("x"), -1);
}

} // namespace
} // namespace froe

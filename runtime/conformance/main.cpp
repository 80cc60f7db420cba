// libfroe_rt.a has a `main` of its own, that of compiled programs; this one keeps it out.
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

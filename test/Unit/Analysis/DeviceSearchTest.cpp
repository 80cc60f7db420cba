#include "LayeredProgram.h"

#include "lib/Analysis/DeviceSearch.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

BestDivision searched(int threads, int64_t memoryBytes) {
  std::unique_ptr<mlir::MLIRContext> context = test::makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = test::parse({.layers = 6}, *context);
  PlanOptions options{.memoryBytes = memoryBytes};
  Cluster cluster = *Cluster::load("h100:8x2");
  DeviceSearch search(*module, cluster, options, [](ProgramGraph &) { return std::nullopt; });
  return search.search(16, {.stages = 0, .tolerance = 0.01, .fineTolerance = 0.01, .threads = threads});
}

TEST(DeviceSearch, ThreadsDoNotChangeTheAnswer) {
  for (int64_t memoryBytes : {int64_t(1) << 30, int64_t(30'000)}) {
    BestDivision one = searched(1, memoryBytes);
    ASSERT_TRUE(one.plan) << memoryBytes;
    for (int threads : {2, 5}) {
      BestDivision other = searched(threads, memoryBytes);
      ASSERT_TRUE(other.plan);
      EXPECT_EQ(one.plan->division.mesh.str(), other.plan->division.mesh.str());
      EXPECT_EQ(one.plan->division.stages, other.plan->division.stages);
      EXPECT_EQ(one.plan->division.microbatches, other.plan->division.microbatches);
      EXPECT_EQ(one.plan->solution.choice, other.plan->solution.choice);
      EXPECT_EQ(one.plan->solution.cost, other.plan->solution.cost);
      EXPECT_EQ(one.bound, other.bound);
      EXPECT_EQ(one.searched, other.searched);
    }
  }
}

} // namespace
} // namespace froe

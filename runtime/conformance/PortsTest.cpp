// Global inputs and outputs against the blocks that ranks hold.
#include "runtime/conformance/TestProgram.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace froe::test {
namespace {

using Shape = std::vector<int64_t>;
using Cuts = std::vector<froe_axes>;

constexpr froe_axes kWhole{0, {}}, kX{1, {0}}, kY{1, {1}}, kXy{2, {0, 1}}, kYx{2, {1, 0}};

int64_t globalIndex(const Shape &shape, const std::vector<int64_t> &index) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    flat = flat * shape[d] + index[d];
  return flat;
}

/// Each element of the block is that of the global tensor, numbered from 1, or zero where it is padding.
void expectBlock(froe_rt *rt, const Shape &shape, const Cuts &cuts) {
  std::vector<rt::Part> parts;
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    parts.push_back(rt::partOf(shape[d], rt->mesh.blocks(cuts[d]), rt->mesh.block(rt->rank, cuts[d])));
    elements *= parts.back().block;
  }
  auto *block = reinterpret_cast<int32_t *>(rt->arena);
  for (int64_t flat = 0; flat < elements; ++flat) {
    std::vector<int64_t> index(shape.size());
    bool valid = true;
    int64_t rest = flat;
    for (size_t d = shape.size(); d-- > 0; rest /= parts[d].block) {
      index[d] = parts[d].begin + rest % parts[d].block;
      valid &= rest % parts[d].block < parts[d].valid;
    }
    int64_t expected = valid ? globalIndex(shape, index) + 1 : 0;
    require(rt, block[flat] == expected,
            fmt::format("element {} of rank {}'s block is {}, expected {}", flat, rt->rank, block[flat], expected));
  }
}

void expectRoundTrip(const Shape &shape, const Cuts &cuts) {
  froe_port port{"t", FROE_I32, int32_t(shape.size()), shape.data(), cuts.data(), 0};
  TestProgram program;
  program.mesh = {2, 3};
  program.inputs = program.outputs = {port};
  program.run = [&](froe_rt *rt) { expectBlock(rt, shape, cuts); };
  int64_t elements = 1;
  for (int64_t dim : shape)
    elements *= dim;
  std::vector<std::byte> tensor(size_t(elements) * sizeof(int32_t));
  for (int32_t i = 0; i < elements; ++i) {
    int32_t value = i + 1;
    std::memcpy(&tensor[size_t(i) * sizeof value], &value, sizeof value);
  }
  TestRun run;
  run.inputs = {tensor};
  EXPECT_EQ(outcome(runRanks(program, run)), "done");
  EXPECT_EQ(run.outputs[0], tensor);
}

TEST(Ports, AnyCutOfAnyShape) {
  for (const froe_axes &first : {kWhole, kX, kY, kXy, kYx})
    for (int64_t size : {1, 2, 4, 7, 12})
      expectRoundTrip({size, 3}, {first, kWhole});
  for (int64_t size : {1, 2, 5}) {
    expectRoundTrip({size, 7}, {kX, kY});
    expectRoundTrip({7, size}, {kY, kX});
    expectRoundTrip({2, size, 3}, {kWhole, kYx, kWhole});
    expectRoundTrip({3, size, 2}, {kY, kWhole, kX});
  }
}

TEST(Ports, ScalarsAndEmptyTensors) {
  expectRoundTrip({}, {});
  expectRoundTrip({0, 3}, {kX, kWhole});
  expectRoundTrip({4, 0}, {kX, kY});
}

} // namespace
} // namespace froe::test

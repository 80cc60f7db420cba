// Results are the same bits on all ranks and in all runs, and NaN is never lost.
#include "runtime/conformance/TestProgram.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace froe::test {
namespace {

constexpr int64_t kCount = 10'007;
constexpr froe_axes kAxes{1, {0}}, kBothSwapped{2, {1, 0}};

/// Terms of very different size, so that any other order of summation gives other bits.
float term(int rank, int64_t index) {
  uint32_t bits = uint32_t(index * 2654435761u) ^ uint32_t(rank * 40503u);
  return std::ldexp(float(bits % 10007) - 5000.f, int(bits >> 8) % 20 - 10);
}

float sequentialSum(int ranks, int64_t index) {
  float sum = term(0, index);
  for (int rank = 1; rank < ranks; ++rank)
    sum += term(rank, index);
  return sum;
}

void expectSequentialSum(froe_rt *rt, const froe_axes &axes) {
  auto *data = reinterpret_cast<float *>(rt->arena);
  for (int64_t i = 0; i < kCount; ++i)
    data[i] = term(rt->rank, i);
  froe_rt_all_reduce(rt, 0, &axes, FROE_SUM, FROE_F32, kCount, data, data);
  if (!settled(rt))
    return;
  for (int64_t i = 0; i < kCount; ++i)
    require(rt, std::bit_cast<uint32_t>(data[i]) == std::bit_cast<uint32_t>(sequentialSum(rt->mesh.size(), i)),
            "the sum is not the sequential one");
}

TEST(Numbers, SumsAreThoseOfOneRankAfterTheOther) {
  for (int64_t ranks : {2, 3, 4})
    for (int threads : {1, 3}) {
      TestProgram program;
      program.mesh = {ranks};
      program.run = [](froe_rt *rt) { expectSequentialSum(rt, kAxes); };
      TestRun run;
      run.options.threads = threads;
      run.options.repeat = 3;
      EXPECT_EQ(outcome(runRanks(program, run)), "done");
    }
}

TEST(Numbers, SumsDoNotDependOnTheOrderOfAxes) {
  TestProgram program;
  program.mesh = {2, 2};
  program.run = [](froe_rt *rt) { expectSequentialSum(rt, kBothSwapped); };
  EXPECT_EQ(outcome(runRanks(program)), "done");
}

/// 256 + 1/2 + 1/2 + 1 is 258 in f32, but 256 if each partial sum is rounded to bf16's 8 bits.
TEST(Numbers, HalfPrecisionSumsAreRoundedOnce) {
  TestProgram program;
  program.mesh = {4};
  program.run = [](froe_rt *rt) {
    constexpr float terms[] = {256, 0.5, 0.5, 1};
    auto *data = reinterpret_cast<uint16_t *>(rt->arena);
    *data = uint16_t(std::bit_cast<uint32_t>(terms[rt->rank]) >> 16);
    froe_rt_all_reduce(rt, 0, &kAxes, FROE_SUM, FROE_BF16, 1, data, data);
    if (!settled(rt))
      return;
    require(rt, std::bit_cast<float>(uint32_t(*data) << 16) == 258, "the sum is not 258");
  };
  EXPECT_EQ(outcome(runRanks(program)), "done");
}

template <typename T> void expectNaN(froe_rt *rt, froe_type type, froe_reduce reduce, int holder) {
  auto *data = reinterpret_cast<T *>(rt->arena);
  data[0] = rt->rank == holder ? std::numeric_limits<T>::quiet_NaN() : T(rt->rank);
  data[1] = T(rt->rank);
  froe_rt_all_reduce(rt, 0, &kAxes, reduce, type, 2, data, data);
  if (!settled(rt))
    return;
  require(rt, std::isnan(data[0]), "NaN was lost");
  require(rt, data[1] == T(reduce == FROE_MAX ? 2 : 0), "max or min is wrong");
}

TEST(Numbers, MaxAndMinKeepNaN) {
  TestProgram program;
  program.mesh = {3};
  program.run = [](froe_rt *rt) {
    for (int holder = 0; holder < 3; ++holder)
      for (froe_reduce reduce : {FROE_MAX, FROE_MIN}) {
        expectNaN<float>(rt, FROE_F32, reduce, holder);
        expectNaN<double>(rt, FROE_F64, reduce, holder);
      }
  };
  EXPECT_EQ(outcome(runRanks(program)), "done");
}

TEST(Numbers, IntegersAreExactAndWrap) {
  TestProgram program;
  program.mesh = {2};
  program.run = [](froe_rt *rt) {
    auto *data = reinterpret_cast<int64_t *>(rt->arena);
    data[0] = (int64_t(1) << 60) + 1 + rt->rank;
    data[1] = std::numeric_limits<int64_t>::max();
    froe_rt_all_reduce(rt, 0, &kAxes, FROE_SUM, FROE_I64, 2, data, data);
    if (!settled(rt))
      return;
    require(rt, data[0] == (int64_t(1) << 61) + 3, "the sum lost bits");
    require(rt, data[1] == -2, "the sum did not wrap around");
  };
  EXPECT_EQ(outcome(runRanks(program)), "done");
}

int32_t countVisits(void *const *buffers, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<int64_t *>(buffers[0])[i] += 1;
  if (end - begin < static_cast<int64_t *>(buffers[1])[0])
    return FROE_FAULT_INDEX;
  return FROE_FAULT_NONE;
}

TEST(Threads, KernelsVisitEachIndexOnceInPiecesOfAtLeastTheGrain) {
  TestProgram program;
  program.mesh = {2};
  program.run = [](froe_rt *rt) {
    auto *visits = reinterpret_cast<int64_t *>(rt->arena);
    for (int64_t extent : {1, 2, 3, 7, 100, 1001})
      for (int64_t grain : {1, 2, 10}) {
        std::memset(visits, 0, size_t(extent) * sizeof(int64_t));
        int64_t smallest = std::min(extent, grain);
        void *buffers[] = {visits, &smallest};
        for (int repeat = 0; repeat < 20; ++repeat)
          froe_rt_kernel(rt, 0, countVisits, buffers, extent, grain);
        for (int64_t i = 0; i < extent; ++i)
          require(rt, visits[i] == 20, "an index was not visited once");
      }
  };
  for (int threads : {1, 2, 5}) {
    TestRun run;
    run.options.threads = threads;
    EXPECT_EQ(outcome(runRanks(program, run)), "done");
  }
}

} // namespace
} // namespace froe::test

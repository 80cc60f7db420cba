#include "runtime/cpu/Matmul.h"
#include "MatmulCase.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

using namespace froe::cpu;

namespace {

/// Runs with a preferred backend; an empty name leaves the choice to the machine.
class MatmulTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { setenv("FROE_MATMUL_BACKEND", GetParam(), 1); }
  void TearDown() override { unsetenv("FROE_MATMUL_BACKEND"); }

  static void check(MatmulCase &test, int threads = 1) {
    auto product = Matmul::prepare(test.matmul, threads);
    ASSERT_TRUE(product) << product.error();
    std::vector<void *> buffers = test.buffers();
    (*product)->run(buffers.data());
    EXPECT_EQ(test.mismatch(), "") << (*product)->backend();
  }
  static void checkDrawn(MatmulCase test, int threads = 1) {
    test.fill(7);
    check(test, threads);
  }
};

TEST_P(MatmulTest, Shapes) {
  for (int64_t m : {1, 2, 7, 16, 33, 130})
    for (int64_t n : {1, 3, 64, 70, 129})
      for (int64_t k : {1, 15, 64, 400}) {
        SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
        checkDrawn(MatmulCase(FROE_F32, {}, m, n, k));
      }
}

TEST_P(MatmulTest, DepthOfSeveralBlocks) {
  for (int64_t m : {1, 4, 9, 70, 300})
    checkDrawn(MatmulCase(FROE_F32, {}, m, 66, m < 70 ? 4200 : 1025));
}

TEST_P(MatmulTest, NoTermsGivePostsOfZero) {
  checkDrawn(MatmulCase(FROE_F32, {}, 5, 70, 0).post(FROE_POST_ADD, MatmulCase::Row));
}

TEST_P(MatmulTest, EmptyResult) {
  checkDrawn(MatmulCase(FROE_F32, {}, 0, 70, 3));
  checkDrawn(MatmulCase(FROE_F32, {0}, 4, 70, 3));
}

TEST_P(MatmulTest, TransposedOperands) {
  for (int64_t m : {1, 3, 40})
    for (int64_t n : {1, 4, 70}) {
      SCOPED_TRACE(testing::Message() << m << "x" << n);
      checkDrawn(MatmulCase(FROE_F32, {}, m, n, 100).transposeLeft());
      checkDrawn(MatmulCase(FROE_F32, {}, m, n, 100).transposeRight());
      checkDrawn(MatmulCase(FROE_F32, {3}, m, n, 100).transposeLeft().transposeRight());
    }
}

TEST_P(MatmulTest, ResultByColumns) {
  MatmulCase test(FROE_F32, {2}, 33, 70, 20);
  test.matmul.c_m_stride = 1, test.matmul.c_n_stride = 33;
  test.post(FROE_POST_ADD, MatmulCase::Row).post(FROE_POST_MUL, MatmulCase::Full);
  checkDrawn(test);
}

TEST_P(MatmulTest, EveryStrideLarger) {
  MatmulCase test(FROE_F32, {2, 3}, 10, 20, 30);
  froe_matmul &p = test.matmul;
  p.a_k_stride = 2, p.a_m_stride = 70, p.a_batch_stride[1] = 800, p.a_batch_stride[0] = 3000;
  p.b_n_stride = 3, p.b_k_stride = 64, p.b_batch_stride[1] = 2000, p.b_batch_stride[0] = 6100;
  p.c_n_stride = 2, p.c_m_stride = 45, p.c_batch_stride[1] = 500, p.c_batch_stride[0] = 1600;
  test.post(FROE_POST_ADD, MatmulCase::Full);
  checkDrawn(test);
}

TEST_P(MatmulTest, HeadsInsideRows) {
  const int64_t batch = 2, sequence = 40, heads = 3, depth = 32, row = heads * depth;
  MatmulCase scores(FROE_F32, {batch, heads}, sequence, sequence, depth);
  froe_matmul &p = scores.matmul;
  for (int64_t *strides : {p.a_batch_stride, p.b_batch_stride})
    strides[0] = sequence * row, strides[1] = depth;
  p.a_m_stride = row, p.b_n_stride = row, p.b_k_stride = 1;
  scores.post(FROE_POST_SCALE, 0.125f).post(FROE_POST_ADD, MatmulCase::BatchRow);
  checkDrawn(scores);
  MatmulCase context(FROE_F32, {batch, heads}, sequence, depth, sequence);
  froe_matmul &q = context.matmul;
  for (int64_t *strides : {q.b_batch_stride, q.c_batch_stride})
    strides[0] = sequence * row, strides[1] = depth;
  q.b_k_stride = row, q.c_m_stride = row;
  checkDrawn(context);
}

TEST_P(MatmulTest, BatchDimsThatOneOperandLacks) {
  checkDrawn(MatmulCase(FROE_F32, {3, 4}, 10, 70, 20).broadcastRight());
  MatmulCase inner(FROE_F32, {3, 4}, 10, 70, 20);
  inner.matmul.b_batch_stride[0] = 20 * 70, inner.matmul.b_batch_stride[1] = 0;
  checkDrawn(inner);
  MatmulCase left(FROE_F32, {3, 4}, 10, 70, 20);
  left.matmul.a_batch_stride[0] = 0, left.matmul.a_batch_stride[1] = 200;
  checkDrawn(left);
  MatmulCase rows(FROE_F32, {5}, 1, 70, 20);
  rows.matmul.a_batch_stride[0] = 33;
  checkDrawn(rows.broadcastRight().post(FROE_POST_ADD, MatmulCase::Full));
}

TEST_P(MatmulTest, EveryPost) {
  for (froe_post_kind kind :
       {FROE_POST_RELU, FROE_POST_GELU_ERF, FROE_POST_GELU_TANH, FROE_POST_SILU, FROE_POST_TANH, FROE_POST_SIGMOID}) {
    SCOPED_TRACE(kind);
    checkDrawn(MatmulCase(FROE_F32, {}, 20, 70, 9).post(FROE_POST_ADD, MatmulCase::Row).post(kind));
    checkDrawn(MatmulCase(FROE_F32, {}, 20, 70, 900).post(kind));
  }
  for (froe_post_kind kind : {FROE_POST_ADD, FROE_POST_MUL})
    for (auto operand :
         {MatmulCase::Row, MatmulCase::Full, MatmulCase::Scalar, MatmulCase::Column, MatmulCase::BatchRow}) {
      SCOPED_TRACE(testing::Message() << kind << " operand " << operand);
      checkDrawn(MatmulCase(FROE_F32, {2, 3}, 20, 70, 9).post(FROE_POST_SCALE, 0.5f).post(kind, operand));
      checkDrawn(MatmulCase(FROE_F32, {2}, 90, 80, 100).post(kind, operand).post(FROE_POST_RELU));
    }
}

TEST_P(MatmulTest, EightPostsInOrder) {
  checkDrawn(MatmulCase(FROE_F32, {}, 30, 70, 40)
                 .post(FROE_POST_SCALE, 0.25f)
                 .post(FROE_POST_ADD, MatmulCase::Row)
                 .post(FROE_POST_GELU_ERF)
                 .post(FROE_POST_MUL, MatmulCase::Full)
                 .post(FROE_POST_ADD, MatmulCase::Column)
                 .post(FROE_POST_TANH)
                 .post(FROE_POST_ADD, MatmulCase::Full)
                 .post(FROE_POST_RELU));
}

TEST_P(MatmulTest, ResidualInPlace) {
  MatmulCase test(FROE_F32, {}, 40, 70, 50);
  test.post(FROE_POST_ADD, MatmulCase::Row).post(FROE_POST_ADD, MatmulCase::Full);
  test.fill(3);
  test.tensors[2] = test.tensors[4];
  std::vector<void *> buffers = test.buffers();
  buffers[4] = buffers[2];
  auto product = Matmul::prepare(test.matmul, 1);
  ASSERT_TRUE(product);
  (*product)->run(buffers.data());
  EXPECT_EQ(test.mismatch(), "") << (*product)->backend();
}

TEST_P(MatmulTest, EveryType) {
  for (int type = FROE_F32; type <= FROE_BOOL; ++type)
    for (int64_t m : {1, 9, 40}) {
      SCOPED_TRACE(testing::Message() << "type " << type << " m " << m);
      checkDrawn(MatmulCase(froe_type(type), {2}, m, 70, 33).post(FROE_POST_ADD, MatmulCase::Row));
      checkDrawn(MatmulCase(froe_type(type), {}, m, 70, 500).transposeLeft().transposeRight());
    }
}

TEST_P(MatmulTest, IntegersScaleAndClampBySign) {
  for (froe_type type : {FROE_I8, FROE_I16, FROE_I32, FROE_I64})
    checkDrawn(MatmulCase(type, {}, 9, 20, 1).post(FROE_POST_RELU).post(FROE_POST_SCALE, 0.5f));
}

TEST_P(MatmulTest, PostsThatATypeLacksAreErrors) {
  MatmulCase test(FROE_I32, {}, 4, 4, 4);
  auto product = Matmul::prepare(test.post(FROE_POST_TANH).matmul, 1);
  ASSERT_FALSE(product);
  EXPECT_NE(product.error().find("'tanh'"), std::string::npos);
}

TEST_P(MatmulTest, NanAndInfinityFlowThrough) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (froe_post_kind kind : {FROE_POST_RELU, FROE_POST_GELU_ERF, FROE_POST_SILU, FROE_POST_TANH, FROE_POST_SIGMOID}) {
    MatmulCase test(FROE_F32, {}, 20, 70, 16);
    test.post(FROE_POST_ADD, MatmulCase::Full).post(kind);
    test.fill(5);
    test.write(0, 3, nan);
    test.write(3, 71, nan);
    std::vector<void *> buffers = test.buffers();
    auto product = Matmul::prepare(test.matmul, 1);
    ASSERT_TRUE(product);
    (*product)->run(buffers.data());
    for (int64_t n = 0; n < 70; ++n)
      EXPECT_TRUE(std::isnan(test.read(2, n))) << (*product)->backend() << " post " << kind;
    EXPECT_TRUE(std::isnan(test.read(2, 71)));
  }
  MatmulCase test(FROE_F32, {}, 20, 70, 16);
  test.fill(5);
  test.write(0, 3, infinity);
  test.write(1, 0, infinity);
  test.write(0, 16, 0);
  std::vector<void *> buffers = test.buffers();
  auto product = Matmul::prepare(test.matmul, 1);
  (*product)->run(buffers.data());
  EXPECT_TRUE(std::isinf(test.read(2, 1)));
  EXPECT_TRUE(std::isnan(test.read(2, 70))); // 0 * infinity
}

TEST_P(MatmulTest, HalvesGiveF32Results) {
  for (froe_type type : {FROE_BF16, FROE_F16})
    for (int64_t m : {1, 7, 70})
      for (int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << type << ", " << m << " rows, " << threads << " threads");
        checkDrawn(MatmulCase(type, {}, m, 130, 65).wideResult(), threads);
        checkDrawn(MatmulCase(type, {3}, m, 70, 40).transposeRight().wideResult().post(FROE_POST_SCALE, 0.5f), threads);
        MatmulCase residual = MatmulCase(type, {2}, m, 64, 64).wideResult();
        checkDrawn(residual.post(FROE_POST_ADD, MatmulCase::Full).post(FROE_POST_RELU), threads);
        MatmulCase byColumns = MatmulCase(type, {}, m, 70, 20).wideResult();
        byColumns.matmul.c_m_stride = 1, byColumns.matmul.c_n_stride = m;
        checkDrawn(byColumns, threads);
      }
}

TEST_P(MatmulTest, ThreadsDoNotChangeTheResult) {
  for (int threads : {2, 3, 7}) {
    SCOPED_TRACE(threads);
    checkDrawn(MatmulCase(FROE_F32, {}, 100, 70, 40).post(FROE_POST_ADD, MatmulCase::Row), threads);
    checkDrawn(MatmulCase(FROE_F32, {}, 12, 1000, 40).post(FROE_POST_ADD, MatmulCase::Full), threads);
    checkDrawn(MatmulCase(FROE_F32, {5, 2}, 30, 70, 40).post(FROE_POST_ADD, MatmulCase::BatchRow), threads);
    checkDrawn(MatmulCase(FROE_F32, {2, 3}, 128, 128, 64).post(FROE_POST_ADD, MatmulCase::BatchRow), threads);
    checkDrawn(MatmulCase(FROE_BF16, {}, 3, 300, 40), threads);
    checkDrawn(MatmulCase(FROE_F32, {}, 1, 1, 40), threads);
  }
}

/// Threads of this process.
int threadCount() {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
    count += entry.is_directory();
  return count;
}

TEST_P(MatmulTest, LibrariesStartNoThreads) {
  checkDrawn(MatmulCase(FROE_F32, {}, 300, 300, 300));
  EXPECT_EQ(threadCount(), 1);
}

INSTANTIATE_TEST_SUITE_P(Backends, MatmulTest, testing::Values("", "onednn", "openblas", "tiled"),
                         [](const auto &info) {
                           return *info.param ? std::string(info.param) : std::string("chosen");
                         });

} // namespace

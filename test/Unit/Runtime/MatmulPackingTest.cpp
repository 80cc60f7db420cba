#include "MatmulCase.h"
#include "runtime/cpu/Matmul.h"
#include "runtime/cpu/PackedWeights.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace froe::cpu;

namespace {

constexpr const char *kTags[] = {"plain", "panel64", "panel16", "panel8", "panel64x2"};

/// Packed with b's strides, in memory that cannot be written: weights are mapped from a file.
class Packed {
public:
  Packed(MatmulCase &test, const Packing &packing) : bytes((packing.bytes + 63) / 64 * 64), tag(packing.tag) {
    data = GuardedAllocator<std::byte>().allocate(bytes);
    std::memset(data, 0xff, bytes); // NaN where packing leaves something out
    packWeight(test.matmul, packing, test.tensors[1].data(), data);
    for (uintptr_t page = uintptr_t(data) & ~uintptr_t(4095); page < uintptr_t(data) + bytes; page += 4096)
      mprotect(reinterpret_cast<void *>(page), 4096, PROT_READ);
  }
  ~Packed() { GuardedAllocator<std::byte>().deallocate(data, bytes); }
  Packed(const Packed &) = delete;

  StoredWeight weight() const { return {data, tag}; }
  std::byte *data;

private:
  uint64_t bytes;
  std::string tag;
};

void checkWeight(MatmulCase test, const std::string &tag, int threads = 1) {
  SCOPED_TRACE(tag);
  test.matmul.weight = 0;
  test.fill(11);
  auto packing = packingFromTag(test.matmul, tag);
  ASSERT_TRUE(packing);
  Packed packed(test, *packing);
  StoredWeight weight = packed.weight();
  auto product = Matmul::prepare(test.matmul, threads, &weight);
  ASSERT_TRUE(product) << product.error();
  std::vector<void *> buffers = test.buffers();
  buffers[1] = nullptr;
  (*product)->run(buffers.data());
  EXPECT_EQ(test.mismatch(), "") << (*product)->backend();
}

TEST(MatmulPacking, ChoiceIsReadWithoutRepacking) {
  for (froe_type type : {FROE_F32, FROE_BF16, FROE_F16, FROE_F64, FROE_I8})
    for (int64_t m : {1, 16, 55, 128}) {
      MatmulCase test(type, {}, m, 200, 50);
      test.matmul.weight = 0;
      if (m == 55) // a bias and a residual
        test.post(FROE_POST_ADD, MatmulCase::Row).post(FROE_POST_ADD, MatmulCase::Full);
      test.fill(1);
      Packing packing = choosePacking(test.matmul);
      Packed packed(test, packing);
      StoredWeight weight = packed.weight();
      auto product = Matmul::prepare(test.matmul, m == 55 ? 2 : 1, &weight);
      ASSERT_TRUE(product) << product.error();
      EXPECT_EQ((*product)->repackedBytes(), 0u);
      std::vector<void *> buffers = test.buffers();
      (*product)->run(buffers.data());
      EXPECT_EQ(test.mismatch(), "") << (*product)->backend() << " " << packing.tag;
    }
}

/// Threads share the columns of few rows.
TEST(MatmulPacking, ChoiceIsReadByAnyNumberOfThreads) {
  for (froe_type type : {FROE_BF16, FROE_F16})
    for (int threads : {1, 2, 3}) {
      MatmulCase test = MatmulCase(type, {}, 26, 520, 64).wideResult();
      test.matmul.weight = 0;
      checkWeight(test, choosePacking(test.matmul).tag, threads);
    }
}

TEST(MatmulPacking, EveryTagGivesTheProduct) {
  for (const char *backend : {"", "onednn", "openblas", "tiled"}) {
    SCOPED_TRACE(backend);
    setenv("FROE_MATMUL_BACKEND", backend, 1);
    for (const char *tag : kTags)
      for (int64_t m : {1, 7, 40}) {
        checkWeight(MatmulCase(FROE_F32, {}, m, 70, 33).post(FROE_POST_ADD, MatmulCase::Row), tag);
        checkWeight(MatmulCase(FROE_F32, {}, m, 128, 64).transposeRight(), tag, 2);
        checkWeight(MatmulCase(FROE_F32, {3}, m, 70, 33), tag, 2);
        checkWeight(MatmulCase(FROE_F32, {2, 3}, m, 70, 33).broadcastRight(), tag);
        checkWeight(MatmulCase(FROE_BF16, {}, m, 70, 33), tag, 3);
        checkWeight(MatmulCase(FROE_F16, {2}, m, 70, 33), tag);
        checkWeight(MatmulCase(FROE_BF16, {2}, m, 70, 33).wideResult(), tag, 2);
        checkWeight(MatmulCase(FROE_F64, {}, m, 70, 33), tag);
        checkWeight(MatmulCase(FROE_U8, {}, m, 70, 33), tag);
      }
  }
  unsetenv("FROE_MATMUL_BACKEND");
}

TEST(MatmulPacking, BatchDimsThatTheWeightLacksAreStoredOnce) {
  MatmulCase test(FROE_F32, {4, 3}, 5, 64, 16);
  test.matmul.b_batch_stride[0] = 0;
  test.matmul.b_batch_stride[1] = 64 * 16;
  test.matmul.weight = 0;
  EXPECT_EQ(packingFromTag(test.matmul, "plain")->bytes, 3u * 64 * 16 * 4);
  for (const char *tag : kTags)
    checkWeight(test, tag);
}

TEST(MatmulPacking, SizesIncludePadding) {
  MatmulCase test(FROE_F32, {}, 5, 70, 33);
  EXPECT_EQ(packingFromTag(test.matmul, "plain")->bytes, 70u * 33 * 4);
  EXPECT_EQ(packingFromTag(test.matmul, "panel64")->bytes, 2u * 48 * 64 * 4);
  EXPECT_EQ(packingFromTag(test.matmul, "panel64x2")->bytes, 2u * 64 * 64 * 4);
}

TEST(MatmulPacking, UnpackInverts) {
  for (const char *tag : kTags) {
    MatmulCase test(FROE_F32, {2}, 5, 70, 33);
    test.transposeRight().fill(2);
    Packing packing = *packingFromTag(test.matmul, tag);
    Tensor packed(packing.bytes), plain(test.tensors[1].size());
    packWeight(test.matmul, packing, test.tensors[1].data(), packed.data());
    unpackWeight(test.matmul, packing, packed.data(), plain.data());
    EXPECT_EQ(plain, test.tensors[1]) << tag;
  }
}

TEST(MatmulPacking, RepackingIsPackingAnew) {
  for (const char *from : kTags)
    for (const char *to : kTags) {
      MatmulCase test(FROE_F32, {2}, 5, 70, 33);
      test.fill(3);
      Packing source = *packingFromTag(test.matmul, from), target = *packingFromTag(test.matmul, to);
      if (source.tag == target.tag)
        continue;
      Tensor stored(source.bytes), expected(target.bytes), found(target.bytes, std::byte(1));
      packWeight(test.matmul, source, test.tensors[1].data(), stored.data());
      packWeight(test.matmul, target, test.tensors[1].data(), expected.data());
      repackWeight(test.matmul, source, stored.data(), target, found.data());
      EXPECT_EQ(found, expected) << from << " to " << to;
    }
}

TEST(MatmulPacking, OtherProcessorsGetPanelsOfTheirTiles) {
  MatmulCase test(FROE_F32, {}, 128, 200, 50);
  test.matmul.weight = 0;
  for (auto [target, tag] : {std::pair(Isa::Avx512, "panel64"), {Isa::Avx2, "panel16"}, {Isa::Baseline, "panel8"}})
    if (target != isa())
      EXPECT_EQ(choosePacking(test.matmul, target).tag, tag);
}

TEST(MatmulPacking, UnknownTagsAreErrors) {
  MatmulCase test(FROE_F32, {}, 5, 70, 33);
  test.matmul.weight = 0;
  test.fill(1);
  for (const char *tag :
       {"", "panel", "panel0", "panel-4", "panel64x3", "panel64x2y", "gemm", "panel99999999999999999999"}) {
    StoredWeight weight{test.tensors[1].data(), tag};
    auto product = Matmul::prepare(test.matmul, 1, &weight);
    ASSERT_FALSE(product);
    EXPECT_NE(product.error().find(std::string("'") + tag + "'"), std::string::npos);
  }
}

} // namespace

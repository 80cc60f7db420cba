#include "runtime/launch/Inputs.h"
#include "runtime/launch/Outputs.h"

#include <cstring>
#include <gtest/gtest.h>

namespace froe {
namespace {

template <typename T> std::vector<T> elements(const Array &array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

TEST(RandomInput, IntegersLieBelowTheLimitAndAreNotAllEqual) {
  std::vector<int> seen(5);
  for (int64_t value : elements<int64_t>(randomInput({"ids", FROE_I64, {8, 128}}, 0, 5))) {
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 5);
    ++seen[size_t(value)];
  }
  for (int count : seen)
    EXPECT_GT(count, 100);
}

TEST(RandomInput, FloatsLieBetweenMinusOneAndOne) {
  double sum = 0;
  for (float value : elements<float>(randomInput({"x", FROE_F32, {10000}}, 3, 2))) {
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    sum += value;
  }
  EXPECT_LT(std::abs(sum), 300);
}

TEST(RandomInput, MasksAndBoolsAreOnes) {
  for (int64_t value : elements<int64_t>(randomInput({"attention_mask", FROE_I64, {20}}, 0, 2)))
    EXPECT_EQ(value, 1);
  for (float value : elements<float>(randomInput({"attention_mask", FROE_F32, {20}}, 0, 2)))
    EXPECT_EQ(value, 1);
  for (uint8_t value : elements<uint8_t>(randomInput({"flags", FROE_BOOL, {20}}, 0, 2)))
    EXPECT_EQ(value, 1);
}

TEST(RandomInput, DependsOnNameAndSeed) {
  Manifest::Tensor a{"a", FROE_F32, {4}}, b{"b", FROE_F32, {4}};
  EXPECT_EQ(randomInput(a, 1, 2).data, randomInput(a, 1, 2).data);
  EXPECT_NE(randomInput(a, 1, 2).data, randomInput(a, 2, 2).data);
  EXPECT_NE(randomInput(a, 1, 2).data, randomInput(b, 1, 2).data);
}

TEST(FileNames, AreEscapedOneToOne) {
  EXPECT_EQ(fileNameFor("logits.0"), "logits.0.npy");
  EXPECT_EQ(fileNameFor("a/b:0 =%"), "a%2Fb%3A0%20%3D%25.npy");
  EXPECT_EQ(fileNameFor("é"), "é.npy");
  EXPECT_NE(fileNameFor("a/b"), fileNameFor("a%2Fb"));
}

} // namespace
} // namespace froe

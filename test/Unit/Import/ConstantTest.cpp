#include "lib/Import/Constant.h"
#include "lib/Import/Affine.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace froe::importing {
namespace {

using testing::ElementsAre;

class ConstantTest : public testing::Test {
protected:
  mlir::MLIRContext context;

  /// 0, 1, 2, … in `shape`.
  Constant counting(llvm::ArrayRef<int64_t> shape) {
    int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    std::vector<int64_t> values(count);
    std::iota(values.begin(), values.end(), 0);
    return Constant::integers(&context, values).reshaped(shape);
  }
};

TEST_F(ConstantTest, ViewsAddressTheSameElements) {
  Constant x = counting({2, 3});
  EXPECT_THAT(x.transposed({1, 0}).flattenIntegers(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(x.sliced({1, 2}, {1, -2}, {1, 2}).flattenIntegers(), ElementsAre(5, 3));
  EXPECT_THAT(x.broadcast({0, 2}, {2, 2, 3}).flattenIntegers(), ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_THAT(x.transposed({1, 0}).reshaped({6}).flattenIntegers(), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(ConstantTest, RepetitionCostsNothing) {
  Constant huge = counting({4}).broadcast({1}, {1 << 30, 4, 1 << 20});
  EXPECT_EQ(huge.compact().count(), 4);
  EXPECT_EQ(huge.at({12345, 3, 99}).integer, 3);
}

TEST_F(ConstantTest, PartsAreJoinedWhenNeeded) {
  Constant whole = Constant::concat({counting({2, 1}), counting({2, 2})}, 1);
  EXPECT_TRUE(whole.inParts());
  EXPECT_THAT(whole.flattenIntegers(), ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_THAT(whole.transposed({1, 0}).flattenIntegers(), ElementsAre(0, 1, 0, 2, 1, 3));
}

TEST_F(ConstantTest, NumbersAreRoundedToTheirType) {
  auto eight = [&](bool isUnsigned) {
    return mlir::IntegerType::get(&context, 8, isUnsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  };
  EXPECT_EQ(roundTo(eight(false), integerScalar(200)).integer, -56);
  EXPECT_EQ(roundTo(eight(true), integerScalar(-1)).integer, 255);
  EXPECT_EQ(roundTo(mlir::Float32Type::get(&context), realScalar(0.1)).real, double(0.1f));
  EXPECT_EQ(roundTo(mlir::Float16Type::get(&context), realScalar(65519)).real, 65504);
}

TEST_F(ConstantTest, AffineFormFindsEvenSteps) {
  Constant positions = counting({3, 4}).sliced({0, 3}, {1, -1}, {3, 4}).broadcast({0, 2}, {3, 5, 4});
  std::optional<Affine> form = affineForm(positions);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->start, 3);
  EXPECT_THAT(form->steps, ElementsAre(4, 0, -1));
  EXPECT_FALSE(affineForm(Constant::integers(&context, {0, 1, 3})));
}

} // namespace
} // namespace froe::importing

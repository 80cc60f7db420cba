#include "LayeredProgram.h"

#include "froe/Analysis/KernelForecast.h"
#include "froe/Cost/Cluster.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace froe {
namespace {

/// A program of ops with names as locations, and what is forecast for it.
class Program {
public:
  Program(const std::string &arguments, const std::string &body, const std::string &cluster = "cpu")
      : context(test::makeContext()) {
    std::string text = "func.func @main(" + arguments + ") {\n" + body + "\nreturn\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    if (module)
      forecast.emplace(module->lookupSymbol<mlir::func::FuncOp>("main"), Cluster::load(cluster)->device);
  }

  mlir::Operation *op(const std::string &name) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      auto location = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
      if (location && location.getName() == name)
        found = op;
    });
    return found;
  }
  mlir::Value value(const std::string &name) { return op(name)->getResult(0); }
  bool stays(const std::string &name) { return forecast->staysInKernel(value(name)); }
  bool ends(const std::string &name) { return forecast->endsProduct(value(name)); }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<KernelForecast> forecast;
};

const std::string kUse = R"(
  %use = froe.contract "ab,bc->ac" %last, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("use"))";
const std::string kArguments = "%x: tensor<4x8xf32>, %w: tensor<8x8xf32>";

TEST(KernelForecast, LayoutAndArithmeticAreOneKernel) {
  Program program(kArguments, R"(
  %0 = froe.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32> loc("turned")
  %1 = froe.slice %0 starts [0, 0] strides [2, 1] : tensor<8x8xf32> -> tensor<4x8xf32> loc("even")
  %last = froe.exp %1 : tensor<4x8xf32> loc("exponential"))" +
                                  kUse);
  ASSERT_TRUE(program.module);
  EXPECT_TRUE(program.stays("turned"));
  EXPECT_TRUE(program.stays("even"));
  EXPECT_FALSE(program.stays("exponential")); // a product reads it
}

TEST(KernelForecast, WhatTwoReadIsStored) {
  Program program(kArguments, R"(
  %0 = froe.exp %x : tensor<4x8xf32> loc("exponential")
  %last = froe.add %0, %0 : tensor<4x8xf32> loc("double"))" +
                                  kUse);
  ASSERT_TRUE(program.module);
  EXPECT_FALSE(program.stays("exponential"));
}

TEST(KernelForecast, SumsOfRowsJoinWhatFollows) {
  Program program("%x: tensor<4x8x3xf32>, %w: tensor<8x8xf32>", R"(
  %0 = froe.reduce sum %x dims [2] : tensor<4x8x3xf32> -> tensor<4x8xf32> loc("sum")
  %last = froe.relu %0 : tensor<4x8xf32> loc("rectified"))" + kUse);
  ASSERT_TRUE(program.module);
  EXPECT_TRUE(program.stays("sum"));
}

TEST(KernelForecast, AProductEndsWithTheLastThatItsStepDoes) {
  Program program(kArguments, R"(
  %0 = froe.contract "ab,bc->ac" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("product")
  %1 = froe.add %0, %x : tensor<4x8xf32> loc("sum")
  %2 = froe.reshape %1 : tensor<4x8xf32> -> tensor<8x4xf32> loc("view")
  %3 = froe.relu %2 : tensor<8x4xf32> loc("rectified")
  %4 = froe.reshape %3 : tensor<8x4xf32> -> tensor<4x8xf32> loc("back")
  %last = froe.softmax %4 dim 1 : tensor<4x8xf32> loc("shares"))" +
                                  kUse);
  ASSERT_TRUE(program.module);
  for (const char *inside : {"product", "sum", "view"})
    EXPECT_TRUE(program.stays(inside)) << inside;
  EXPECT_TRUE(program.forecast->followsProduct(program.op("rectified")));
  EXPECT_FALSE(program.stays("rectified"));
  EXPECT_TRUE(program.ends("rectified"));
  EXPECT_FALSE(program.forecast->followsProduct(program.op("shares")));
}

TEST(KernelForecast, ExponentialsAreNoPartOfAProduct) {
  Program program(kArguments, R"(
  %0 = froe.contract "ab,bc->ac" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("product")
  %last = froe.exp %0 : tensor<4x8xf32> loc("exponential"))" +
                                  kUse);
  ASSERT_TRUE(program.module);
  EXPECT_FALSE(program.stays("product"));
  EXPECT_FALSE(program.forecast->followsProduct(program.op("exponential")));
}

TEST(KernelForecast, OneOfTwoProductsIsDoneWithTheOthersResult) {
  Program program(kArguments, R"(
  %0 = froe.contract "ab,bc->ac" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("first")
  %1 = froe.contract "ab,cb->ac" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("second")
  %last = froe.add %0, %1 : tensor<4x8xf32> loc("sum"))" +
                                  kUse);
  ASSERT_TRUE(program.module);
  EXPECT_TRUE(program.stays("first"));
  EXPECT_FALSE(program.stays("second"));
}

TEST(KernelForecast, AttentionIsOneKernelOnGpusOnly) {
  const std::string arguments = "%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>";
  const std::string body = R"(
  %0 = froe.contract "bhqd,bhkd->bhqk" %q, %k : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x8xf32> loc("scores")
  %1 = froe.softmax %0 dim 3 : tensor<2x4x8x8xf32> loc("shares")
  %2 = froe.contract "bhqk,bhkd->bhqd" %1, %v : tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32> loc("values"))";
  Program cpu(arguments, body), gpu(arguments, body, "a100-80g");
  ASSERT_TRUE(cpu.module && gpu.module);
  EXPECT_FALSE(cpu.stays("shares"));
  EXPECT_TRUE(gpu.stays("shares"));
  EXPECT_TRUE(gpu.stays("scores"));
  EXPECT_EQ(gpu.forecast->partOf(gpu.op("values")), AttentionPart::Values);
  EXPECT_EQ(cpu.forecast->partOf(cpu.op("values")), AttentionPart::None);
}

} // namespace
} // namespace froe

// The threads that compute a row together.
#pragma once

#include "lib/Conversion/KernelsToGpu/LaunchShape.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace froe {

class Team {
public:
  Team(mlir::ImplicitLocOpBuilder &builder, mlir::gpu::GPUFuncOp function, const LaunchShape &shape)
      : builder(builder), function(function), shape(shape) {}

  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  /// What `combine`, which must be commutative, makes of all threads' values: the same bits in each of them. Within a
  /// warp by butterfly shuffles, between warps through shared memory. All threads of the block must come by.
  mlir::Value allReduce(mlir::Value value, Combine combine);

private:
  mlir::Value butterfly(mlir::Value value, int64_t threads, Combine combine);
  mlir::Value shuffle(mlir::Value value, int64_t distance);
  mlir::Value shuffle32(mlir::Value value, int64_t distance);
  mlir::Value threadNumber(int64_t divisor, int64_t modulus);

  mlir::ImplicitLocOpBuilder &builder;
  mlir::gpu::GPUFuncOp function;
  const LaunchShape &shape;
};

} // namespace froe

// The straight line of runtime calls that one execution is.
#pragma once

#include "ConstantData.h"
#include "DeviceImages.h"
#include "WeightTable.h"

namespace froe {

/// Writes the function `run` of a program, and gathers what the program's description says about its steps.
class EmitSteps {
public:
  /// `device`: of a program for GPUs; null: kernels are functions for the CPU, and constants lie in the object.
  EmitSteps(mlir::func::FuncOp main, const Mesh &mesh, const WeightTable &weights, ConstantData &data,
            const DeviceImages *device);

  /// The function, or failure after an error at the step that has no runtime call.
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> emit();

  /// Records of `froe_step`, in order; valid after `emit`.
  const Record &steps() const { return stepRecord; }
  int32_t stepCount() const { return count; }
  /// Records of `froe_constant`: what steps read in the device's memory.
  const Record &deviceConstants() const { return constantRecord; }
  int32_t deviceConstantCount() const { return constantCount; }

private:
  mlir::func::FuncOp main;
  const Mesh &mesh;
  const WeightTable &weights;
  ConstantData &data;
  const DeviceImages *device;
  mlir::OpBuilder builder;
  mlir::Type pointer, i32, i64;
  mlir::Value rt, arena, buffers;
  mlir::DenseMap<mlir::Value, mlir::Value> constants; ///< pointers of constants
  mlir::DenseMap<mlir::Value, mlir::Value> plainWeights;
  mlir::DenseMap<mlir::Operation *, mlir::Value> stepOfWaited; ///< of collectives that have a wait
  Record stepRecord, constantRecord;
  int32_t count = 0, constantCount = 0;

  mlir::LogicalResult emitStep(mlir::Operation *op);
  mlir::LogicalResult emitLaunch(rank::LaunchOp op);
  mlir::LogicalResult emitDeviceLaunch(rank::LaunchOp op);
  mlir::LogicalResult emitMatmul(rank::MatmulOp op);
  mlir::LogicalResult emitCollective(mlir::Operation *op, llvm::StringRef function, llvm::ArrayRef<mlir::Value> middle,
                                     llvm::ArrayRef<mlir::Value> last = {});
  mlir::LogicalResult emitAllToAll(rank::AllToAllOp op);

  mlir::Value bufferOf(mlir::Value value);
  mlir::Value constantBuffer(ConstantOp op);
  mlir::Value fillBuffersOf(rank::LaunchOp op);
  mlir::Value inArena(int64_t offset);
  mlir::Value addressOf(mlir::StringAttr symbol);
  mlir::Value axes(mlir::ArrayAttr names);
  mlir::Value number(int64_t value, mlir::Type type);
  mlir::Value fillBuffers(llvm::ArrayRef<mlir::Value> pointers);
  mlir::Value nextStep(mlir::Operation *op, llvm::StringRef what);
  void call(llvm::StringRef function, llvm::ArrayRef<mlir::Value> arguments);
  mlir::Value callForPointer(llvm::StringRef function, llvm::ArrayRef<mlir::Value> arguments);
  llvm::SmallVector<mlir::Value> threeParts(mlir::Value value, int64_t dim, int64_t size);
};

/// Where a value of @main lies in the arena (looking through views), as AssignArena decided.
int64_t arenaOffsetOf(mlir::Value value);

} // namespace froe

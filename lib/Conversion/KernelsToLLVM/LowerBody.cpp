#include "lib/Conversion/KernelsToLLVM/LowerBody.h"

#include "lib/Conversion/KernelsToLLVM/ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace froe {
namespace {

LogicalResult convertToBranches(LLVM::LLVMFuncOp body) {
  MLIRContext *context = body.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(body, target, std::move(patterns));
}

LogicalResult convertToLLVM(LLVM::LLVMFuncOp body) {
  MLIRContext *context = body.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  return applyFullConversion(body, target, std::move(patterns));
}

} // namespace

LogicalResult lowerBody(LLVM::LLVMFuncOp function) {
  callErf(function);
  return success(succeeded(convertToBranches(function)) && succeeded(convertToLLVM(function)));
}

} // namespace froe

#include "dialects/Froe/KernelDomain.h"
#include "froe/Conversion/Passes.h"
#include "lib/Conversion/KernelsToLLVM/EmitKernel.h"
#include "lib/Conversion/KernelsToLLVM/ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

namespace froe {
#define GEN_PASS_DEF_LOWERKERNELS
#include "lib/Conversion/Passes.h.inc"
} // namespace froe

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

struct LowerKernels : impl::LowerKernelsBase<LowerKernels> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!kernel.isPrivate() || kernel.isExternal() || !kernel->hasAttr(KernelDomain::kExtent))
        continue;
      FailureOr<LLVM::LLVMFuncOp> body = emitKernel(kernel);
      if (failed(body))
        return signalPassFailure();
      expandMath(*body);
      if (failed(convertToBranches(*body)) || failed(convertToLLVM(*body)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace froe

#include "dialects/Froe/KernelDomain.h"
#include "froe/Conversion/Passes.h"
#include "lib/Conversion/KernelsToLLVM/EmitKernel.h"
#include "lib/Conversion/KernelsToLLVM/ExpandMath.h"
#include "lib/Conversion/KernelsToLLVM/LowerBody.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace froe {
#define GEN_PASS_DEF_LOWERKERNELS
#include "lib/Conversion/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

struct LowerKernels : impl::LowerKernelsBase<LowerKernels> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!kernel.isPrivate() || kernel.isExternal() || !kernel->hasAttr(KernelDomain::kExtent))
        continue;
      FailureOr<LLVM::LLVMFuncOp> body = emitKernel(kernel);
      if (failed(body))
        return signalPassFailure();
      expandMath(*body);
      if (failed(lowerBody(*body)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace froe

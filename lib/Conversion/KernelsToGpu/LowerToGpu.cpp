#include "dialects/Froe/KernelDomain.h"
#include "froe/Conversion/Passes.h"
#include "lib/Conversion/KernelsToGpu/EmitGpuKernel.h"
#include "lib/Conversion/KernelsToLLVM/ExpandMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace froe {
#define GEN_PASS_DEF_KERNELSTOGPU
#include "lib/Conversion/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

struct KernelsToGpu : impl::KernelsToGpuBase<KernelsToGpu> {
  void runOnOperation() override {
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    gpu::GPUModuleOp module;
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!kernel.isPrivate() || kernel.isExternal() || !kernel->hasAttr(KernelDomain::kExtent))
        continue;
      if (!module)
        module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(), "kernels");
      FailureOr<gpu::GPUFuncOp> function = emitGpuKernel(kernel, module);
      if (failed(function))
        return signalPassFailure();
      expandMath(*function);
      kernel.eraseBody(); // a declaration stays: steps name it
    }
  }
};

} // namespace
} // namespace froe

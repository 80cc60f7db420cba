// Lowerings out of the froe and rank dialects, one folder each.
#ifndef FROE_CONVERSION_PASSES
#define FROE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def RankToRuntime : Pass<"rank-to-runtime", "::mlir::ModuleOp"> {
  let summary = "@main becomes the function and the data that the runtime executes";
  let description = [{
    Assumes lowered kernels and an assigned arena. @main becomes `froe_run`, a straight line of calls into
    the runtime's C ABI (runtime/include/froe_rt.h), and `froe_program_main`, its description. Weights that the matrix library packs are
    chosen here, for the instruction set that the module attribute `froe.isa` names (this machine's without it). What the package holds besides
    the program is kept as the module attribute `rank.package`.

    Before:
    ```mlir
    %1 = rank.all_reduce sum %0 over ["x"] {rank.offsets = array<i64: 0>} : tensor<4x8xf32>
    ```
    After:
    ```mlir
    llvm.call @froe_rt_all_reduce(%rt, %step, %axes, %sum, %f32, %count, %in, %out) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, i64, !llvm.ptr, !llvm.ptr) -> ()
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerKernels : Pass<"lower-kernels", "::mlir::ModuleOp"> {
  let summary = "kernels become functions of the LLVM dialect";
  let description = [{
    Every private function that states a domain (`form-kernels`) becomes `i32 @kernel(ptr buffers, i64 begin, i64 end)`, the
    `froe_kernel` of the runtime: buffers are the operands, then the results; it computes [begin, end) of `rank.extent`
    rows and returns a fault or 0. A loop over rows holds loops over the row's elements; ops without a loop of their own are computed where their
    elements are read. The inner loops are scalar code without calls that LLVM's vectoriser takes.

    Assumes that a result shares no memory with an operand. Attributes of the functions are kept.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif

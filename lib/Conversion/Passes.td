// Lowerings out of the froe and rank dialects, one folder each.
#ifndef FROE_CONVERSION_PASSES
#define FROE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def RankToRuntime : Pass<"rank-to-runtime", "::mlir::ModuleOp"> {
  let summary = "@main becomes the function and the data that the runtime executes";
  let description = [{
    Assumes lowered kernels and an assigned arena. @main becomes `froe_run`, a straight line of calls into
    the runtime's C ABI (runtime/include/froe_rt.h), and `froe_program_main`, its description. Weights that the matrix library packs are
    chosen here, for the instruction set that the module attribute `froe.isa` names (this machine's without it).

    A program for GPUs (`froe.target`) launches the kernels of `gpu.binary @kernels` by number, and holds its objects as images; constants lie in the
    device's memory, and all weights are plain. What the package holds besides the program is kept as the module attribute `rank.package`.

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

def KernelsToGpu : Pass<"kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "kernels become functions of the GPU dialect";
  let description = [{
    Every private function that states a domain (`form-kernels`) becomes `gpu.func @kernel(operand or result..., fault)` in
    `gpu.module @kernels`; its declaration stays for the steps that name it. Parameters are pointers to global memory, aligned to 16 bytes; the
    last one is a word into which faults are or-ed. `known_grid_size` and `known_block_size` are the launch.

    A kernel that looks at no rows is a grid over its elements: each thread computes as many consecutive ones as 16 bytes hold. Else the threads
    of a team, a part of a warp up to a block, compute a row together: each element is read once and held in registers where the row is not
    too long, sums go over the team by shuffles, and through shared memory between warps.

    Before:
    ```mlir
    func.func private @relu_0(%a: tensor<4096xf32>) -> tensor<4096xf32> attributes {rank.domain = array<i64: 4096>, rank.extent = 4096, rank.row = 0} {
    ```
    After:
    ```mlir
    gpu.func @relu_0(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>, %fault: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::memref::MemRefDialect"];
}

def GpuToHost : Pass<"gpu-to-host", "::mlir::ModuleOp"> {
  let summary = "kernels for GPUs become functions that a processor runs, one thread at a time";
  let description = [{
    For tests without a GPU. Every `gpu.func` becomes its twin, `void @kernel(ptr params)`: what one thread does, where parameters
    come as the CUDA driver takes them. Thread numbers, barriers, shuffles and accesses to memory are calls of test/doubles/simt, which
    runs a block's threads as fibers. `@kernel_twin` holds the number of parameters, threads per block, blocks, and bytes of
    dynamic shared memory.

    Before:
    ```mlir
    gpu.barrier
    ```
    After:
    ```mlir
    llvm.call @simt_barrier(%site) : (i32) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif

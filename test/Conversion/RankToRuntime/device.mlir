// Programs for GPUs launch kernels by number, read constants and plain weights in the device's memory, and hold images.
// RUN: froe-opt %s --rank-to-runtime --split-input-file | FileCheck %s

// CHECK: rank.package = {arena_bytes = 512 : i64, {{.*}} kernels = 2 : i64
// CHECK-NOT: packing
// CHECK-DAG: "sm_80\00"
// CHECK-DAG: "compute_80\00"
// CHECK-DAG: dense<[99, 117, 98, 105, 110]> : tensor<5xi8>
// CHECK-DAG: dense<[112, 116, 120, 0]> : tensor<4xi8>
// CHECK-DAG: @froe_program_main
// CHECK: llvm.func internal @froe_run(%[[RT:.*]]: !llvm.ptr)
// CHECK: llvm.call @froe_rt_constant(%[[RT]], %{{.*}}) : (!llvm.ptr, i32) -> !llvm.ptr
// CHECK: %[[RELU:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[GRID:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: llvm.call @froe_rt_launch(%[[RT]], %{{.*}}, %[[RELU]], %[[GRID]], %{{.*}})
// CHECK: llvm.call @froe_rt_weight(%[[RT]], %{{.*}})
// CHECK: llvm.call @froe_rt_matmul
// CHECK-NOT: gpu.binary
// CHECK-NOT: @relu_0
#table = #gpu.kernel_table<[
  #gpu.kernel_metadata<"add_0", (!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) -> (), metadata = {block = 64 : i64, grid = 9 : i64}>,
  #gpu.kernel_metadata<"relu_0", (!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) -> (), metadata = {block = 32 : i64, grid = 3 : i64}>]>
module attributes {froe.target = "cuda:sm_80"} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, kernels = #table, bin = "cubin">,
                       #gpu.object<#nvvm.target<chip = "sm_80">, kernels = #table, assembly = "ptx">]
  func.func private @relu_0(tensor<4x8xf32>) -> tensor<4x8xf32>
  func.func @main(%x: tensor<4x8xf32> {froe.name = "x", rank.offset = 0 : i64}) -> (tensor<4x8xf32> {froe.name = "y"}) attributes {rank.arena_bytes = 512 : i64} {
    %c = froe.constant dense<2.0> : tensor<4x8xf32>
    %1 = rank.launch @relu_0(%c) {rank.offsets = array<i64: 128>} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("layer/Relu")
    %w = froe.weight "w" in "w.bin" [0 : 256] : tensor<8x8xf32>
    %2 = rank.matmul "ak,kb->ab" %1, %w posts []() {rank.offsets = array<i64: 256>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("layer/MatMul")
    return %2 : tensor<4x8xf32>
  }
}

// -----

// A collective that is waited for says so in its step's record, and the wait names the step.
// CHECK: llvm.call @froe_rt_all_reduce
// CHECK: llvm.call @froe_rt_launch
// CHECK: llvm.call @froe_rt_wait(%{{.*}}, %[[STEP:.*]]) : (!llvm.ptr, i32) -> ()
#table = #gpu.kernel_table<[
  #gpu.kernel_metadata<"relu_0", (!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) -> (), metadata = {block = 32 : i64, grid = 3 : i64}>]>
module attributes {froe.target = "cuda:sm_80"} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, kernels = #table, bin = "cubin">]
  froe.mesh @mesh ["x" = 2]
  func.func private @relu_0(tensor<4x8xf32>) -> tensor<4x8xf32>
  func.func @main(%x: tensor<4x8xf32> {froe.name = "x", rank.offset = 0 : i64}) -> (tensor<4x8xf32> {froe.name = "y"}) attributes {rank.arena_bytes = 512 : i64} {
    %1 = rank.all_reduce sum %x over ["x"] {rank.offsets = array<i64: 0>} : tensor<4x8xf32>
    %2 = rank.launch @relu_0(%x) {rank.offsets = array<i64: 256>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    rank.wait %1 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}

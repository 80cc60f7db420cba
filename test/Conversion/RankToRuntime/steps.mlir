// @main becomes calls into the runtime; the description names steps after ONNX nodes.
// RUN: froe-opt %s --rank-to-runtime | FileCheck %s

// CHECK: rank.package = {arena_bytes = 384 : i64, inputs = [{name = "x", type = tensor<7x8xf32>}], kernels = 1 : i64, mesh = "x=2"
// CHECK-SAME: weights = [{cuts = [array<i64: 0>], file = "w.bin", global = tensor<64xf32>, local = tensor<32xf32>, name = "w", range = array<i64: 0, 256>, stored = f32}]
// CHECK-DAG: "layer/Relu\00"
// CHECK-DAG: "all_reduce\00"
// CHECK-DAG: llvm.mlir.global external constant @froe_program_main()
// CHECK: llvm.func internal @froe_run(%[[RT:.*]]: !llvm.ptr)
// CHECK: %[[ARENA:.*]] = llvm.call @froe_rt_arena(%[[RT]])
// CHECK: %[[W:.*]] = llvm.call @froe_rt_weight(%[[RT]], %{{.*}})
// CHECK: llvm.call @froe_rt_kernel(%[[RT]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @froe_rt_all_reduce
// CHECK: llvm.return
// CHECK-NOT: @main
froe.mesh @mesh ["x" = 2]
llvm.func @relu_0(%buffers: !llvm.ptr, %begin: i64, %end: i64) -> i32 attributes {rank.extent = 4 : i64, rank.grain = 1 : i64} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
func.func @main(%x: tensor<4x8xf32> {froe.name = "x", froe.sharding = #froe.sharding<@mesh, [{"x"}, {}]>, froe.global_type = tensor<7x8xf32>, rank.offset = 0 : i64})
    -> (tensor<4x8xf32> {froe.name = "y"}) attributes {rank.arena_bytes = 384 : i64} {
  %w = froe.weight "w" in "w.bin" [0 : 256] {froe.sharding = #froe.sharding<@mesh, [{"x"}]>, froe.global_type = tensor<64xf32>} : tensor<32xf32>
  %view = rank.view %w : tensor<32xf32> -> tensor<4x8xf32>
  %1 = rank.launch @relu_0(%x, %view) {rank.offsets = array<i64: 128>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("layer/Relu")
  %2 = rank.all_reduce sum %1 over ["x"] {rank.offsets = array<i64: 128>} : tensor<4x8xf32> loc("layer/MatMul")
  return %2 : tensor<4x8xf32>
}

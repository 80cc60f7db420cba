// The function that the runtime calls takes the pointers out of their array; its body may assume that they do not overlap.
// RUN: froe-opt --lower-kernels %s | FileCheck %s

// CHECK-LABEL: llvm.func internal @relu_0.body(%arg0: !llvm.ptr {llvm.noalias, llvm.readonly}, %arg1: !llvm.ptr {llvm.noalias}, %arg2: i64, %arg3: i64) -> i32
// CHECK-NOT:     scf.for
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func @relu_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) -> i32
// CHECK-SAME:    rank.extent = 12 : i64
// CHECK:         llvm.call @relu_0.body
func.func private @relu_0(%a: tensor<12xf32>) -> tensor<12xf32>
    attributes {rank.domain = array<i64: 12>, rank.row = 0, rank.extent = 12, rank.grain = 12} {
  %0 = froe.relu %a : tensor<12xf32>
  return %0 : tensor<12xf32>
}

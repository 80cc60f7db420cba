// Which operand is the right one, and when a transpose is needed.
// RUN: froe-opt %s --select-matmuls --split-input-file | FileCheck %s

// The result's last dim is the weight's: the weight goes to the right.
// CHECK-LABEL: func.func @main
// CHECK: rank.matmul "sh,oh->so" %arg0, %{{[0-9]+}}
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x6xf32> {
  %w = froe.weight "w" in "w.bin" [0 : 120] : tensor<6x5xf32>
  %0 = froe.contract "oh,sh->so" %w, %x : tensor<6x5xf32>, tensor<4x5xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Dims summed over lie in different orders: the left operand is transposed.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = froe.transpose %arg0 [0, 2, 1] : tensor<4x2x3xf32> -> tensor<4x3x2xf32>
// CHECK: rank.matmul "akh,khb->ab" %[[T]], %arg1
func.func @main(%x: tensor<4x2x3xf32>, %y: tensor<3x2x5xf32>) -> tensor<4x5xf32> {
  %0 = froe.contract "ahk,khb->ab" %x, %y : tensor<4x2x3xf32>, tensor<3x2x5xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// A transpose behind the product that keeps rows is written directly.
// CHECK-LABEL: func.func @main
// CHECK-NOT: froe.transpose
// CHECK: rank.matmul "bqhd,bkhd->hbqk"
func.func @main(%q: tensor<2x4x3x8xf32>, %k: tensor<2x5x3x8xf32>) -> tensor<3x2x4x5xf32> {
  %0 = froe.contract "bqhd,bkhd->bhqk" %q, %k : tensor<2x4x3x8xf32>, tensor<2x5x3x8xf32> -> tensor<2x3x4x5xf32>
  %1 = froe.transpose %0 [1, 0, 2, 3] : tensor<2x3x4x5xf32> -> tensor<3x2x4x5xf32>
  return %1 : tensor<3x2x4x5xf32>
}

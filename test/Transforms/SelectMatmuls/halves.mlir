// Sums of halves are f32: as they are where other ranks have terms, else rounded once behind all posts.
// RUN: froe-opt %s --select-matmuls --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: rank.matmul "kn,mk->nm" %arg1, %arg0 posts [#rank.post<scale by 5.000000e-01 : f32>, #rank.post<add along "n">, #rank.post<relu>](%arg2)
// CHECK-SAME: (tensor<6x4xbf16>, tensor<4x6xbf16>, tensor<4xbf16>) -> tensor<4x4xbf16>
// CHECK-NEXT: return
func.func @main(%x: tensor<4x6xbf16>, %w: tensor<6x4xbf16>, %bias: tensor<4xbf16>) -> tensor<4x4xbf16> {
  %half = froe.constant dense<0.5> : tensor<4x6xbf16>
  %scaled = froe.mul %x, %half : tensor<4x6xbf16>
  %sum = froe.contract "mk,kn->nm" %scaled, %w : tensor<4x6xbf16>, tensor<6x4xbf16> -> tensor<4x4xf32>
  %0 = froe.cast %sum : tensor<4x4xf32> to tensor<4x4xbf16>
  %1 = froe.broadcast %bias dims [0] : tensor<4xbf16> -> tensor<4x4xbf16>
  %2 = froe.add %0, %1 : tensor<4x4xbf16>
  %3 = froe.relu %2 : tensor<4x4xbf16>
  return %3 : tensor<4x4xbf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = rank.matmul "mk,kn->mn" %arg0, %arg1 posts []() : (tensor<4x6xf16>, tensor<6x4xf16>) -> tensor<4x4xf32>
// CHECK: rank.all_reduce sum %[[SUM]] over ["x"] : tensor<4x4xf32>
froe.mesh @mesh ["x" = 2]
func.func @main(%x: tensor<4x6xf16>, %w: tensor<6x4xf16>) -> tensor<4x4xf16> {
  %sum = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xf16>, tensor<6x4xf16> -> tensor<4x4xf32>
  %all = rank.all_reduce sum %sum over ["x"] : tensor<4x4xf32>
  %0 = froe.cast %all : tensor<4x4xf32> to tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

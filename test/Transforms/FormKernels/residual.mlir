// A sum that later steps need as well is a second result, unless that would make two steps wait for each other.
// RUN: froe-opt --form-kernels --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[K:.*]]:2 = rank.launch @normalize_0(%arg0, %arg1)
// CHECK:         %[[M:.*]] = rank.matmul "mk,kn->mn" %[[K]]#1, %arg2
// CHECK:         rank.launch @add_0(%[[K]]#0, %[[M]])
// CHECK-LABEL: func.func private @normalize_0
// CHECK:         return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = froe.add %a, %b : tensor<4x8xf32>
  %1 = froe.normalize rms %0 from 1 epsilon 1.000000e-05 : tensor<4x8xf32>
  %2 = rank.matmul "mk,kn->mn" %1, %w posts [] () : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = froe.add %0, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// The last sum and %0 are of one shape, but the product lies between them.
// CHECK-LABEL: func.func @main
// CHECK:         %[[E:.*]] = rank.launch @exp_0(%arg0)
// CHECK:         %[[M:.*]] = rank.matmul "mk,kn->mn" %[[E]], %arg1
// CHECK:         rank.launch @add_0(%[[E]], %[[M]])
func.func @main(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = froe.exp %a : tensor<8x8xf32>
  %1 = rank.matmul "mk,kn->mn" %0, %w posts [] () : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = froe.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

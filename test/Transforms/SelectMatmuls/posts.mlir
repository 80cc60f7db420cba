// What follows a product joins its step: constant factor, bias, residual, activation; reshapes between them move behind.
// RUN: froe-opt %s --select-matmuls --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[OUT:.*]] = rank.matmul "sh,oh->so" %arg0, %{{.*}} posts [#rank.post<add along "o">, #rank.post<gelu_erf>](%arg1)
// CHECK: return %[[OUT]]
func.func @main(%x: tensor<128x768xf32>, %bias: tensor<3072xf32>) -> tensor<128x3072xf32> {
  %w = froe.weight "w" in "w.bin" [0 : 9437184] : tensor<3072x768xf32>
  %0 = froe.contract "sh,oh->so" %x, %w : tensor<128x768xf32>, tensor<3072x768xf32> -> tensor<128x3072xf32>
  %1 = froe.broadcast %bias dims [1] : tensor<3072xf32> -> tensor<128x3072xf32>
  %2 = froe.add %0, %1 : tensor<128x3072xf32>
  %3 = froe.gelu erf %2 : tensor<128x3072xf32>
  return %3 : tensor<128x3072xf32>
}

// -----

// A factor of an operand is applied to the result, a transposed operand is read through its strides.
// CHECK-LABEL: func.func @main
// CHECK: rank.matmul "abc,adc->abd" %arg0, %arg1 posts [#rank.post<scale by 1.250000e-01 : f32>, #rank.post<add along "abd">](%arg2)
func.func @main(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %mask: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %eighth = froe.constant dense<1.250000e-01> : tensor<2x8x4xf32>
  %0 = froe.mul %q, %eighth : tensor<2x8x4xf32>
  %1 = froe.transpose %k [0, 2, 1] : tensor<2x8x4xf32> -> tensor<2x4x8xf32>
  %2 = froe.contract "abc,acd->abd" %0, %1 : tensor<2x8x4xf32>, tensor<2x4x8xf32> -> tensor<2x8x8xf32>
  %3 = froe.add %mask, %2 : tensor<2x8x8xf32>
  return %3 : tensor<2x8x8xf32>
}

// -----

// A reshape that merges dims stands in front of the bias in the model, and behind the step afterwards.
// CHECK-LABEL: func.func @main
// CHECK: %[[BIAS:.*]] = rank.view %arg2 : tensor<2x3xf32> -> tensor<6xf32>
// CHECK: %[[STEP:.*]] = rank.matmul "ac,cb->ab" %arg0, %arg1 posts [#rank.post<add along "b">](%[[BIAS]])
// CHECK: rank.view %[[STEP]] : tensor<4x6xf32> -> tensor<4x2x3xf32>
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %bias: tensor<2x3xf32>) -> tensor<4x2x3xf32> {
  %0 = froe.contract "ac,cb->ab" %x, %y : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
  %1 = froe.reshape %0 : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %2 = froe.broadcast %bias dims [1, 2] : tensor<2x3xf32> -> tensor<4x2x3xf32>
  %3 = froe.add %1, %2 : tensor<4x2x3xf32>
  return %3 : tensor<4x2x3xf32>
}

// -----

// A product with a second use keeps its value: nothing joins.
// CHECK-LABEL: func.func @main
// CHECK: rank.matmul {{.*}} posts []()
// CHECK: froe.relu
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = froe.contract "ac,cb->ab" %x, %y : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
  %1 = froe.relu %0 : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// RUN: froe-opt --simplify %s | FileCheck %s

// Two groups of heads, each of which reads one head of keys: as torch writes it, keys are repeated by Unsqueeze, Expand, Reshape.
// CHECK-LABEL: @grouped_heads
// CHECK-SAME: (%[[Q:.*]]: tensor<3x8x5x4xf32>, %[[K:.*]]: tensor<3x2x5x4xf32>)
// CHECK-DAG: %[[SCALED:.*]] = froe.mul %[[K]], {{.*}} : tensor<3x2x5x4xf32>
// CHECK-DAG: %[[SPLIT:.*]] = froe.reshape %[[Q]] : tensor<3x8x5x4xf32> -> tensor<3x2x4x5x4xf32>
// CHECK: froe.contract "{{.*}}" %[[SPLIT]], %[[SCALED]] : tensor<3x2x4x5x4xf32>, tensor<3x2x5x4xf32> -> tensor<3x2x4x5x5xf32>
func.func @grouped_heads(%q: tensor<3x8x5x4xf32>, %k: tensor<3x2x5x4xf32>) -> tensor<3x8x5x5xf32> {
  %half = froe.constant dense<5.0e-01> : tensor<3x8x4x5xf32>
  %u = froe.reshape %k : tensor<3x2x5x4xf32> -> tensor<3x2x1x5x4xf32>
  %e = froe.broadcast %u dims [0, 1, 2, 3, 4] : tensor<3x2x1x5x4xf32> -> tensor<3x2x4x5x4xf32>
  %r = froe.reshape %e : tensor<3x2x4x5x4xf32> -> tensor<3x8x5x4xf32>
  %t = froe.transpose %r [0, 1, 3, 2] : tensor<3x8x5x4xf32> -> tensor<3x8x4x5xf32>
  %s = froe.mul %t, %half : tensor<3x8x4x5xf32>
  %y = froe.contract "bhqd,bhdk->bhqk" %q, %s : tensor<3x8x5x4xf32>, tensor<3x8x4x5xf32> -> tensor<3x8x5x5xf32>
  return %y : tensor<3x8x5x5xf32>
}

// Rows that are equal are still rows of the result, which no other operand has.
// CHECK-LABEL: @own_letter
// CHECK: froe.broadcast
// CHECK: froe.contract
func.func @own_letter(%x: tensor<4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %e = froe.broadcast %x dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %y = froe.contract "mk,kn->mn" %e, %w : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// What is summed over counts as often as it is repeated.
// CHECK-LABEL: @summed_letter
// CHECK: froe.broadcast
// CHECK: froe.contract
func.func @summed_letter(%x: tensor<3xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %e = froe.broadcast %x dims [0] : tensor<3xf32> -> tensor<3x4xf32>
  %y = froe.contract "mk,kn->mn" %e, %w : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @repeat_behind_comparison
// CHECK: %[[C:.*]] = froe.compare less %arg0, {{.*}} : tensor<4xf32> -> tensor<4xi1>
// CHECK: froe.broadcast %[[C]] dims [1] : tensor<4xi1> -> tensor<3x4xi1>
func.func @repeat_behind_comparison(%x: tensor<4xf32>) -> tensor<3x4xi1> {
  %zero = froe.constant dense<0.0> : tensor<3x4xf32>
  %e = froe.broadcast %x dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %y = froe.compare less %e, %zero : tensor<3x4xf32> -> tensor<3x4xi1>
  return %y : tensor<3x4xi1>
}

// Tokens are [batch, sequence] again in front of the reduction over experts.
// CHECK-LABEL: @reduce_of_merge
// CHECK: froe.reduce max %arg0 dims [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
func.func @reduce_of_merge(%x: tensor<2x3x8xf32>) -> tensor<2x3xf32> {
  %m = froe.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %r = froe.reduce max %m dims [1] : tensor<6x8xf32> -> tensor<6xf32>
  %y = froe.reshape %r : tensor<6xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @reduce_of_merged_dims
// CHECK: froe.reduce sum %arg0 dims [0, 1] : tensor<2x3x8xf32> -> tensor<8xf32>
func.func @reduce_of_merged_dims(%x: tensor<2x3x8xf32>) -> tensor<8xf32> {
  %m = froe.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %r = froe.reduce sum %m dims [0] : tensor<6x8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: @one_key
// CHECK: froe.contract "{{.*}}" {{.*}} : tensor<3x2x4x5x6xf32>, tensor<3x2x1x6xf32> -> tensor<3x2x4x5x1xf32>
func.func @one_key(%q: tensor<3x2x4x5x6xf32>, %k: tensor<3x2x6xf32>) -> tensor<3x2x4x5x1xf32> {
  %e = froe.broadcast %k dims [0, 1, 4] : tensor<3x2x6xf32> -> tensor<3x2x4x1x6xf32>
  %y = froe.contract "abgqd,abgkd->abgqk" %q, %e : tensor<3x2x4x5x6xf32>, tensor<3x2x4x1x6xf32> -> tensor<3x2x4x5x1xf32>
  return %y : tensor<3x2x4x5x1xf32>
}

// CHECK-LABEL: @slice_of_merge
// CHECK: %[[S:.*]] = froe.slice %arg0 starts [0, 0, 4] strides [1, 1, 1] : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
// CHECK: froe.reshape %[[S]] : tensor<2x3x4xf32> -> tensor<6x4xf32>
func.func @slice_of_merge(%x: tensor<2x3x8xf32>) -> tensor<6x4xf32> {
  %m = froe.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %s = froe.slice %m starts [0, 4] strides [1, 1] : tensor<6x8xf32> -> tensor<6x4xf32>
  return %s : tensor<6x4xf32>
}

// A slice along merged dims stays where it is.
// CHECK-LABEL: @slice_across_merge
// CHECK: froe.slice {{.*}} : tensor<6x8xf32> -> tensor<4x8xf32>
func.func @slice_across_merge(%x: tensor<2x3x8xf32>) -> tensor<4x8xf32> {
  %m = froe.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %s = froe.slice %m starts [1, 0] strides [1, 1] : tensor<6x8xf32> -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

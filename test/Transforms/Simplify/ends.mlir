// RUN: froe-opt --simplify %s | FileCheck %s

// Spellings on which rewrites could undo each other for ever.

// CHECK-LABEL: @two_reshaped_operands
// CHECK: %[[M:.*]] = froe.max %arg0, %arg1 : tensor<2xf32>
// CHECK: froe.broadcast %[[M]] dims [0] : tensor<2xf32> -> tensor<2x8xf32>
func.func @two_reshaped_operands(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2x8xf32> {
  %0 = froe.reshape %a : tensor<2xf32> -> tensor<2x1xf32>
  %1 = froe.reshape %b : tensor<2xf32> -> tensor<2x1xf32>
  %2 = froe.max %0, %1 : tensor<2x1xf32>
  %3 = froe.broadcast %2 dims [0, 1] : tensor<2x1xf32> -> tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// CHECK-LABEL: @unlike_reshaped_operands
// CHECK: froe.add
func.func @unlike_reshaped_operands(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>) -> tensor<2xf32> {
  %0 = froe.reshape %a : tensor<1x2xf32> -> tensor<2xf32>
  %1 = froe.reshape %b : tensor<2x1xf32> -> tensor<2xf32>
  %2 = froe.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// CHECK-LABEL: @split_product_below_transpose
// CHECK: froe.contract {{.*}} : tensor<3x5x768xf32>, tensor<768x12x64xf32> -> tensor<3x12x5x64xf32>
func.func @split_product_below_transpose(%x: tensor<3x5x768xf32>) -> tensor<3x12x5x64xf32> {
  %w = froe.weight "w" in "m.data" [0 : 2359296] : tensor<768x768xf32>
  %0 = froe.contract "axy,yz->axz" %x, %w : tensor<3x5x768xf32>, tensor<768x768xf32> -> tensor<3x5x768xf32>
  %1 = froe.reshape %0 : tensor<3x5x768xf32> -> tensor<3x5x12x64xf32>
  %2 = froe.transpose %1 [0, 2, 1, 3] : tensor<3x5x12x64xf32> -> tensor<3x12x5x64xf32>
  return %2 : tensor<3x12x5x64xf32>
}

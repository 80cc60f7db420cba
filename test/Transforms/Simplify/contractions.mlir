// RUN: froe-opt --simplify %s | FileCheck %s

// CHECK-LABEL: @operand_transpose
// CHECK: froe.contract "sh,oh->so" %arg0, %arg1
func.func @operand_transpose(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>) -> tensor<4x3xf32> {
  %t = froe.transpose %w [1, 0] : tensor<3x8xf32> -> tensor<8x3xf32>
  %y = froe.contract "sh,ho->so" %x, %t : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: @result_transpose
// CHECK: froe.contract "sh,ho->os" %arg0, %arg1
func.func @result_transpose(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<3x4xf32> {
  %y = froe.contract "sh,ho->so" %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %t = froe.transpose %y [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %t : tensor<3x4xf32>
}

// A product with another user keeps its result, and so its transpose.
// CHECK-LABEL: @shared_result
// CHECK: froe.contract "sh,ho->so"
// CHECK: froe.transpose
func.func @shared_result(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>) {
  %y = froe.contract "sh,ho->so" %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %t = froe.transpose %y [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %t, %y : tensor<3x4xf32>, tensor<4x3xf32>
}

// Batch and heads flattened around attention, as ViT writes it, come apart again through product and softmax.
// CHECK-LABEL: @flattened_heads
// CHECK: %[[S:.*]] = froe.contract "{{.*}}" %arg0, %arg1 : tensor<2x12x16x64xf32>, tensor<2x12x16x64xf32> -> tensor<2x12x16x16xf32>
// CHECK: froe.softmax %[[S]] dim 3 : tensor<2x12x16x16xf32>
// CHECK-NOT: froe.reshape
func.func @flattened_heads(%q: tensor<2x12x16x64xf32>, %k: tensor<2x12x16x64xf32>) -> tensor<2x12x16x16xf32> {
  %qm = froe.reshape %q : tensor<2x12x16x64xf32> -> tensor<24x16x64xf32>
  %km = froe.reshape %k : tensor<2x12x16x64xf32> -> tensor<24x16x64xf32>
  %s = froe.contract "bqd,bkd->bqk" %qm, %km : tensor<24x16x64xf32>, tensor<24x16x64xf32> -> tensor<24x16x16xf32>
  %p = froe.softmax %s dim 2 : tensor<24x16x16xf32>
  %r = froe.reshape %p : tensor<24x16x16xf32> -> tensor<2x12x16x16xf32>
  return %r : tensor<2x12x16x16xf32>
}

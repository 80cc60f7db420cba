// RUN: froe-opt --simplify %s | FileCheck %s

// One product for queries, keys and values, as GPT-2 writes it: dims flattened in front and restored behind, one result sliced
// in three. The weight takes the shape that cuts need, heads included, and flattening disappears.
// CHECK-LABEL: @qkv
// CHECK-SAME: %[[X:.*]]: tensor<2x16x768xf32>
// CHECK: %[[W:.*]] = froe.weight "w" {{.*}} : tensor<768x3x12x64xf32>
// CHECK: %[[Y:.*]] = froe.contract {{.*}} %[[X]], %[[W]] : tensor<2x16x768xf32>, tensor<768x3x12x64xf32> -> tensor<2x16x3x12x64xf32>
// CHECK: froe.broadcast {{.*}} dims [2, 3, 4] : tensor<3x12x64xf32> -> tensor<2x16x3x12x64xf32>
// CHECK: froe.slice {{.*}} starts [0, 0, 0, 0, 0] {{.*}} -> tensor<2x16x1x12x64xf32>
// CHECK: froe.slice {{.*}} starts [0, 0, 1, 0, 0] {{.*}} -> tensor<2x16x1x12x64xf32>
// CHECK-NOT: froe.transpose
// CHECK: froe.contract "{{.*}}" {{.*}} : tensor<2x16x12x64xf32>, tensor<2x16x12x64xf32> -> tensor<2x12x16x16xf32>
func.func @qkv(%x: tensor<2x16x768xf32>) -> tensor<2x12x16x16xf32> {
  %w = froe.weight "w" in "m.data" [0 : 7077888] : tensor<768x2304xf32>
  %b = froe.weight "b" in "m.data" [7077888 : 9216] : tensor<2304xf32>
  %xm = froe.reshape %x : tensor<2x16x768xf32> -> tensor<32x768xf32>
  %y = froe.contract "mk,kn->mn" %xm, %w : tensor<32x768xf32>, tensor<768x2304xf32> -> tensor<32x2304xf32>
  %bb = froe.broadcast %b dims [1] : tensor<2304xf32> -> tensor<32x2304xf32>
  %z = froe.add %y, %bb : tensor<32x2304xf32>
  %r = froe.reshape %z : tensor<32x2304xf32> -> tensor<2x16x2304xf32>
  %q = froe.slice %r starts [0, 0, 0] strides [1, 1, 1] : tensor<2x16x2304xf32> -> tensor<2x16x768xf32>
  %k = froe.slice %r starts [0, 0, 768] strides [1, 1, 1] : tensor<2x16x2304xf32> -> tensor<2x16x768xf32>
  %v = froe.slice %r starts [0, 0, 1536] strides [1, 1, 1] : tensor<2x16x2304xf32> -> tensor<2x16x768xf32>
  %qh = froe.reshape %q : tensor<2x16x768xf32> -> tensor<2x16x12x64xf32>
  %qt = froe.transpose %qh [0, 2, 1, 3] : tensor<2x16x12x64xf32> -> tensor<2x12x16x64xf32>
  %kh = froe.reshape %k : tensor<2x16x768xf32> -> tensor<2x16x12x64xf32>
  %kt = froe.transpose %kh [0, 2, 1, 3] : tensor<2x16x12x64xf32> -> tensor<2x12x16x64xf32>
  %km = froe.reshape %kt : tensor<2x12x16x64xf32> -> tensor<24x16x64xf32>
  %kmt = froe.transpose %km [0, 2, 1] : tensor<24x16x64xf32> -> tensor<24x64x16xf32>
  %ks = froe.reshape %kmt : tensor<24x64x16xf32> -> tensor<2x12x64x16xf32>
  %s = froe.contract "abcd,abde->abce" %qt, %ks : tensor<2x12x16x64xf32>, tensor<2x12x64x16xf32> -> tensor<2x12x16x16xf32>
  return %s : tensor<2x12x16x16xf32>
}

// Parts that are split unlike each other leave the product as it is.
// CHECK-LABEL: @unlike_heads
// CHECK: froe.contract {{.*}} -> tensor<4x2x48xf32>
func.func @unlike_heads(%x: tensor<4x32xf32>) -> (tensor<4x6x8xf32>, tensor<4x3x16xf32>) {
  %w = froe.weight "w" in "m.data" [0 : 12288] : tensor<32x96xf32>
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x32xf32>, tensor<32x96xf32> -> tensor<4x96xf32>
  %a = froe.slice %y starts [0, 0] strides [1, 1] : tensor<4x96xf32> -> tensor<4x48xf32>
  %b = froe.slice %y starts [0, 48] strides [1, 1] : tensor<4x96xf32> -> tensor<4x48xf32>
  %ah = froe.reshape %a : tensor<4x48xf32> -> tensor<4x6x8xf32>
  %bh = froe.reshape %b : tensor<4x48xf32> -> tensor<4x3x16xf32>
  return %ah, %bh : tensor<4x6x8xf32>, tensor<4x3x16xf32>
}

// A part along a split dim: heads would be cut.
// CHECK-LABEL: @parts_of_heads
// CHECK: froe.contract {{.*}} -> tensor<4x48xf32>
func.func @parts_of_heads(%x: tensor<4x32xf32>) -> (tensor<4x4x8xf32>, tensor<4x2x8xf32>) {
  %w = froe.weight "w" in "m.data" [0 : 6144] : tensor<32x48xf32>
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x32xf32>, tensor<32x48xf32> -> tensor<4x48xf32>
  %a = froe.slice %y starts [0, 0] strides [1, 1] : tensor<4x48xf32> -> tensor<4x32xf32>
  %b = froe.slice %y starts [0, 32] strides [1, 1] : tensor<4x48xf32> -> tensor<4x16xf32>
  %ah = froe.reshape %a : tensor<4x32xf32> -> tensor<4x4x8xf32>
  %bh = froe.reshape %b : tensor<4x16xf32> -> tensor<4x2x8xf32>
  return %ah, %bh : tensor<4x4x8xf32>, tensor<4x2x8xf32>
}

// One row: where the sequence is a dim of size 1, parts and heads are found all the same.
// CHECK-LABEL: @one_token
// CHECK: froe.contract {{.*}} : tensor<2x48xf32>, tensor<48x3x6x8xf32> -> tensor<2x3x6x8xf32>
func.func @one_token(%x: tensor<2x1x48xf32>) -> (tensor<2x1x6x8xf32>, tensor<2x1x6x8xf32>, tensor<2x1x6x8xf32>) {
  %w = froe.weight "w" in "m.data" [0 : 27648] : tensor<48x144xf32>
  %xm = froe.reshape %x : tensor<2x1x48xf32> -> tensor<2x48xf32>
  %y = froe.contract "mk,kn->mn" %xm, %w : tensor<2x48xf32>, tensor<48x144xf32> -> tensor<2x144xf32>
  %r = froe.reshape %y : tensor<2x144xf32> -> tensor<2x1x144xf32>
  %q = froe.slice %r starts [0, 0, 0] strides [1, 1, 1] : tensor<2x1x144xf32> -> tensor<2x1x48xf32>
  %k = froe.slice %r starts [0, 0, 48] strides [1, 1, 1] : tensor<2x1x144xf32> -> tensor<2x1x48xf32>
  %v = froe.slice %r starts [0, 0, 96] strides [1, 1, 1] : tensor<2x1x144xf32> -> tensor<2x1x48xf32>
  %qh = froe.reshape %q : tensor<2x1x48xf32> -> tensor<2x1x6x8xf32>
  %kh = froe.reshape %k : tensor<2x1x48xf32> -> tensor<2x1x6x8xf32>
  %vh = froe.reshape %v : tensor<2x1x48xf32> -> tensor<2x1x6x8xf32>
  return %qh, %kh, %vh : tensor<2x1x6x8xf32>, tensor<2x1x6x8xf32>, tensor<2x1x6x8xf32>
}

// A batch of one stays a dim of the projection.
// CHECK-LABEL: @one_row
// CHECK: froe.contract {{.*}} : tensor<1x5x48xf32>, tensor<48x7xf32> -> tensor<1x5x7xf32>
func.func @one_row(%x: tensor<1x5x48xf32>) -> tensor<1x5x7xf32> {
  %w = froe.weight "w" in "m.data" [0 : 1344] : tensor<48x7xf32>
  %xm = froe.reshape %x : tensor<1x5x48xf32> -> tensor<5x48xf32>
  %y = froe.contract "mk,kn->mn" %xm, %w : tensor<5x48xf32>, tensor<48x7xf32> -> tensor<5x7xf32>
  %r = froe.reshape %y : tensor<5x7xf32> -> tensor<1x5x7xf32>
  return %r : tensor<1x5x7xf32>
}

// As torch's MultiheadAttention writes it: the parts come to the front before they are taken.
// CHECK-LABEL: @parts_in_front
// CHECK: froe.contract {{.*}} -> tensor<5x2x3x6x8xf32>
// CHECK-NOT: froe.transpose
func.func @parts_in_front(%x: tensor<5x2x48xf32>) -> (tensor<5x2x6x8xf32>, tensor<5x2x6x8xf32>, tensor<5x2x6x8xf32>) {
  %w = froe.weight "w" in "m.data" [0 : 27648] : tensor<48x144xf32>
  %y = froe.contract "sbk,kn->sbn" %x, %w : tensor<5x2x48xf32>, tensor<48x144xf32> -> tensor<5x2x144xf32>
  %r = froe.reshape %y : tensor<5x2x144xf32> -> tensor<5x2x3x48xf32>
  %t = froe.transpose %r [2, 0, 1, 3] : tensor<5x2x3x48xf32> -> tensor<3x5x2x48xf32>
  %q = froe.slice %t starts [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<3x5x2x48xf32> -> tensor<1x5x2x48xf32>
  %k = froe.slice %t starts [1, 0, 0, 0] strides [1, 1, 1, 1] : tensor<3x5x2x48xf32> -> tensor<1x5x2x48xf32>
  %v = froe.slice %t starts [2, 0, 0, 0] strides [1, 1, 1, 1] : tensor<3x5x2x48xf32> -> tensor<1x5x2x48xf32>
  %qh = froe.reshape %q : tensor<1x5x2x48xf32> -> tensor<5x2x6x8xf32>
  %kh = froe.reshape %k : tensor<1x5x2x48xf32> -> tensor<5x2x6x8xf32>
  %vh = froe.reshape %v : tensor<1x5x2x48xf32> -> tensor<5x2x6x8xf32>
  return %qh, %kh, %vh : tensor<5x2x6x8xf32>, tensor<5x2x6x8xf32>, tensor<5x2x6x8xf32>
}

// Of one word, heads may stand in front of it or behind it.
// CHECK-LABEL: @heads_around_one_token
// CHECK: froe.contract {{.*}} -> tensor<2x3x6x8xf32>
func.func @heads_around_one_token(%x: tensor<2x48xf32>) -> (tensor<2x1x6x8xf32>, tensor<2x6x1x8xf32>, tensor<2x6x1x8xf32>) {
  %w = froe.weight "w" in "m.data" [0 : 27648] : tensor<48x144xf32>
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<2x48xf32>, tensor<48x144xf32> -> tensor<2x144xf32>
  %q = froe.slice %y starts [0, 0] strides [1, 1] : tensor<2x144xf32> -> tensor<2x48xf32>
  %k = froe.slice %y starts [0, 48] strides [1, 1] : tensor<2x144xf32> -> tensor<2x48xf32>
  %v = froe.slice %y starts [0, 96] strides [1, 1] : tensor<2x144xf32> -> tensor<2x48xf32>
  %qh = froe.reshape %q : tensor<2x48xf32> -> tensor<2x1x6x8xf32>
  %kh = froe.reshape %k : tensor<2x48xf32> -> tensor<2x6x1x8xf32>
  %vh = froe.reshape %v : tensor<2x48xf32> -> tensor<2x6x1x8xf32>
  return %qh, %kh, %vh : tensor<2x1x6x8xf32>, tensor<2x6x1x8xf32>, tensor<2x6x1x8xf32>
}

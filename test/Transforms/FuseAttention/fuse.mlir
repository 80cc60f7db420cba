// Two products with a softmax between are one kernel, which layers of the same shapes share.
// RUN: froe-opt %s --fuse-attention --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[A:.*]] = rank.launch @attention_0(%arg0, %arg1, %arg2) : (tensor<8x100x64xf32>, tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
// CHECK-NEXT:    %[[B:.*]] = rank.launch @attention_0(%[[A]], %arg1, %arg2)
// CHECK-NEXT:    return %[[B]]
// CHECK-LABEL: func.func private @attention_0
// CHECK-SAME:    rank.domain = array<i64: 8, 100, 64>
// CHECK:         rank.matmul "bxd,byd->bxy" %arg0, %arg1 posts [#rank.post<scale by 1.250000e-01 : f32>]()
// CHECK:         froe.softmax
// CHECK:         rank.matmul "bxy,byd->bxd"
// CHECK-NOT:   func.func
func.func @main(%q: tensor<8x100x64xf32>, %k: tensor<8x100x64xf32>, %v: tensor<8x100x64xf32>) -> tensor<8x100x64xf32> {
  %0 = rank.matmul "bxd,byd->bxy" %q, %k posts [#rank.post<scale by 1.250000e-01 : f32>]() : (tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x100xf32>
  %1 = froe.softmax %0 dim 2 : tensor<8x100x100xf32>
  %2 = rank.matmul "bxy,byd->bxd" %1, %v posts []() : (tensor<8x100x100xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
  %3 = rank.matmul "bxd,byd->bxy" %2, %k posts [#rank.post<scale by 1.250000e-01 : f32>]() : (tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x100xf32>
  %4 = froe.softmax %3 dim 2 : tensor<8x100x100xf32>
  %5 = rank.matmul "bxy,byd->bxd" %4, %v posts []() : (tensor<8x100x100xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
  return %5 : tensor<8x100x64xf32>
}

// -----

// A mask is an operand of the kernel; zeros in place of NaN go with it; heads of queries share those of keys.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    rank.launch @attention_0(%arg0, %arg1, %arg3, %arg2)
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @attention_0
// CHECK:         froe.is_nan
// CHECK:         froe.select
func.func @main(%q: tensor<2x9x3x4x32xbf16>, %k: tensor<2x9x3x32xbf16>, %v: tensor<2x9x3x32xbf16>, %mask: tensor<2x9xbf16>) -> tensor<2x9x3x4x32xbf16> {
  %0 = rank.matmul "bxhgd,byhd->bhgxy" %q, %k posts [#rank.post<add along "by">](%mask) : (tensor<2x9x3x4x32xbf16>, tensor<2x9x3x32xbf16>, tensor<2x9xbf16>) -> tensor<2x3x4x9x9xbf16>
  %1 = froe.softmax %0 dim 4 : tensor<2x3x4x9x9xbf16>
  %2 = froe.is_nan %1 : tensor<2x3x4x9x9xbf16> -> tensor<2x3x4x9x9xi1>
  %3 = froe.constant dense<0.0> : tensor<2x3x4x9x9xbf16>
  %4 = froe.select %2, %3, %1 : tensor<2x3x4x9x9xi1>, tensor<2x3x4x9x9xbf16>
  %5 = rank.matmul "bhgxy,byhd->bxhgd" %4, %v posts []() : (tensor<2x3x4x9x9xbf16>, tensor<2x9x3x32xbf16>) -> tensor<2x9x3x4x32xbf16>
  return %5 : tensor<2x9x3x4x32xbf16>
}

// RUN: froe-opt --widen-sums --split-input-file %s | FileCheck %s
// RUN: froe-opt --widen-sums --print-sharding-rules --split-input-file %s | FileCheck %s --check-prefix=RULE

// The summed dim of an f32 result may be cut.
// CHECK-LABEL: @main
// CHECK: %[[SUM:.*]] = froe.contract "mk,kn->mn" %arg0, %arg1 : tensor<4x6xbf16>, tensor<6x8xbf16> -> tensor<4x8xf32>
// CHECK: %[[Y:.*]] = froe.cast %[[SUM]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: froe.exp %[[Y]]
// CHECK: froe.neg %[[Y]]
// RULE: froe.contract: (m, k), (k, n) -> (m, n) | k: sum
func.func @main(%x: tensor<4x6xbf16>, %w: tensor<6x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xbf16>, tensor<6x8xbf16> -> tensor<4x8xbf16>
  %0 = froe.exp %y : tensor<4x8xbf16>
  %1 = froe.neg %y : tensor<4x8xbf16>
  return %0, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// -----

// Where f32 is wanted, nothing is rounded.
// CHECK-LABEL: @main
// CHECK: %[[Y:.*]] = froe.contract "mk,kn->mn" %arg0, %arg1 : tensor<4x6xf16>, tensor<6x8xf16> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<4x6xf16>, %w: tensor<6x8xf16>) -> tensor<4x8xf32> {
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xf16>, tensor<6x8xf16> -> tensor<4x8xf16>
  %0 = froe.cast %y : tensor<4x8xf16> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Sums and products, but not what is exact; nor a contraction without terms to add.
// CHECK-LABEL: @main
// CHECK: %[[WIDE:.*]] = froe.cast %arg0 : tensor<4x8xf16> to tensor<4x8xf32>
// CHECK: %[[SUM:.*]] = froe.reduce sum %[[WIDE]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK: froe.cast %[[SUM]] : tensor<4xf32> to tensor<4xf16>
// CHECK: froe.reduce max %arg0 dims [1] : tensor<4x8xf16> -> tensor<4xf16>
// CHECK: froe.contract "a,b->ab" {{.*}} -> tensor<4x4xf16>
// RULE: froe.reduce: (d0, d1) -> (d0) | d1: sum
func.func @main(%x: tensor<4x8xf16>) -> tensor<4x4xf16> {
  %0 = froe.reduce sum %x dims [1] : tensor<4x8xf16> -> tensor<4xf16>
  %1 = froe.reduce max %x dims [1] : tensor<4x8xf16> -> tensor<4xf16>
  %2 = froe.contract "a,b->ab" %0, %1 : tensor<4xf16>, tensor<4xf16> -> tensor<4x4xf16>
  return %2 : tensor<4x4xf16>
}

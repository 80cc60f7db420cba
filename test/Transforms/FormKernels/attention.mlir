// Everything between two products is one kernel; layers with the same shapes share it.
// RUN: froe-opt --form-kernels %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[P:.*]] = rank.launch @softmax_0(%arg1, %arg0)
// CHECK-NEXT:    %[[M:.*]] = rank.matmul "bhqk,bhkd->bhqd" %[[P]], %arg2
// CHECK-NEXT:    %[[Q:.*]] = rank.launch @softmax_0(%arg1, %[[M]])
// CHECK-NEXT:    return %[[Q]]
// CHECK-LABEL: func.func private @softmax_0(%{{.*}}: tensor<2x1x1x16xf32>, %{{.*}}: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
// CHECK-SAME:    rank.domain = array<i64: 2, 32, 16>, rank.extent = 64 : i64, rank.grain = 1024 : i64, rank.row = 1 : i64
// CHECK:         froe.broadcast %{{.*}} dims [0, 2] : tensor<2x16xf32> -> tensor<2x32x16xf32>
// CHECK:         froe.softmax %{{.*}} dim 2 : tensor<2x32x16xf32>
// CHECK-NOT:   func.func private
func.func @main(%scores: tensor<2x4x8x16xf32>, %mask: tensor<2x1x1x16xf32>, %v: tensor<2x4x16x16xf32>) -> tensor<2x4x8x16xf32> {
  %eighth = froe.constant dense<1.250000e-01> : tensor<f32>
  %scale = froe.broadcast %eighth dims [] : tensor<f32> -> tensor<2x4x8x16xf32>
  %bias = froe.broadcast %mask dims [0, 1, 2, 3] : tensor<2x1x1x16xf32> -> tensor<2x4x8x16xf32>
  %0 = froe.mul %scores, %scale : tensor<2x4x8x16xf32>
  %1 = froe.add %0, %bias : tensor<2x4x8x16xf32>
  %2 = froe.softmax %1 dim 3 : tensor<2x4x8x16xf32>
  %3 = rank.matmul "bhqk,bhkd->bhqd" %2, %v posts [] () : (tensor<2x4x8x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x8x16xf32>
  %4 = froe.mul %3, %scale : tensor<2x4x8x16xf32>
  %5 = froe.add %4, %bias : tensor<2x4x8x16xf32>
  %6 = froe.softmax %5 dim 3 : tensor<2x4x8x16xf32>
  return %6 : tensor<2x4x8x16xf32>
}

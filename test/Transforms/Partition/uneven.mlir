// RUN: froe-opt %s --partition | FileCheck %s
// Seven elements on two ranks: blocks of four, the last one padded. What a reduction, a product or a gather reads of the
// padding is harmless: a neutral element, zeros in both operands, an index inside.

#cut1 = #froe.sharding<@mesh, [{"x"}]>
#cut = #froe.sharding<@mesh, [{"x"}, {} ]>
#whole = #froe.sharding<@mesh, [{}, {} ]>
#one = #froe.sharding<@mesh, [{}]>
#most = #froe.sharding<@mesh, [{}], partial<max>{"x"}>
#terms = #froe.sharding<@mesh, [{}, {} ], partial<sum>{"x"}>
froe.mesh @mesh ["x" = 2]
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32> {froe.global_type = tensor<7x3xf32>
// CHECK-SAME: %[[I:.*]]: tensor<4xi64>
func.func @main(%x: tensor<7x3xf32> {froe.sharding = #cut}, %i: tensor<7xi64> {froe.sharding = #cut1}, %t: tensor<9x3xf32> {froe.sharding = #whole})
    -> (tensor<3xf32> {froe.sharding = #one}, tensor<3x3xf32> {froe.sharding = #whole}, tensor<7x3xf32> {froe.sharding = #cut}) {
  // CHECK: %[[M:.*]] = rank.mask %[[X]] over ["x"] dim 0 size 7 with 0xFF800000 : f32 : tensor<4x3xf32>
  // CHECK-NEXT: froe.reduce max %[[M]] dims [0] : tensor<4x3xf32> -> tensor<3xf32>
  %0 = froe.reduce max %x dims [0] {froe.in = [#cut], froe.out = [#most]} : tensor<7x3xf32> -> tensor<3xf32>
  // CHECK: %[[Z:.*]] = rank.mask %[[X]] over ["x"] dim 0 size 7 with 0.000000e+00 : f32
  // CHECK-NEXT: froe.contract "bi,bo->io" %[[Z]], %[[Z]]
  %1 = froe.contract "bi,bo->io" %x, %x {froe.in = [#cut, #cut], froe.out = [#terms]} : tensor<7x3xf32>, tensor<7x3xf32> -> tensor<3x3xf32>
  // CHECK: %[[J:.*]] = rank.mask %[[I]] over ["x"] dim 0 size 7 with 0 : i64
  // CHECK-NEXT: %[[G:.*]] = froe.gather %{{.*}}, %[[J]] dim 0
  %2 = froe.gather %t, %i dim 0 {froe.in = [#whole, #cut1], froe.out = [#cut]} : tensor<9x3xf32>, tensor<7xi64> -> tensor<7x3xf32>
  // CHECK-NEXT: froe.neg %[[G]] : tensor<4x3xf32>
  %3 = froe.neg %2 {froe.in = [#cut], froe.out = [#cut]} : tensor<7x3xf32>
  return %0, %1, %3 : tensor<3xf32>, tensor<3x3xf32>, tensor<7x3xf32>
}

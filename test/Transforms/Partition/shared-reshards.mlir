// RUN: froe-opt %s --partition | FileCheck %s
// Two users need the sum whole, one needs its rows: the terms are combined once, into rows, which are gathered once.

#whole = #froe.sharding<@mesh, [{}, {} ]>
#rows = #froe.sharding<@mesh, [{"x"}, {} ]>
#columns = #froe.sharding<@mesh, [{}, {"x"}]>
#terms = #froe.sharding<@mesh, [{}, {} ], partial<sum>{"x"}>
froe.mesh @mesh ["x" = 2]
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8x6xf32> {froe.sharding = #columns}, %w: tensor<6x4xf32> {froe.sharding = #rows})
    -> (tensor<8x4xf32> {froe.sharding = #whole}, tensor<8x4xf32> {froe.sharding = #rows}, tensor<8x4xf32> {froe.sharding = #whole}) {
  // CHECK: %[[P:.*]] = froe.contract "bi,io->bo" %{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<3x4xf32> -> tensor<8x4xf32>
  %0 = froe.contract "bi,io->bo" %x, %w {froe.in = [#columns, #rows], froe.out = [#terms]} : tensor<8x6xf32>, tensor<6x4xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %[[R:.*]] = rank.reduce_scatter sum %[[P]] over ["x"] dim 0 : tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK-NEXT: %[[G:.*]] = rank.all_gather %[[R]] over ["x"] dim 0 : tensor<4x4xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: froe.neg %[[G]]
  %1 = froe.neg %0 {froe.in = [#whole], froe.out = [#whole]} : tensor<8x4xf32>
  // CHECK-NEXT: froe.exp %[[R]] : tensor<4x4xf32>
  %2 = froe.exp %0 {froe.in = [#rows], froe.out = [#rows]} : tensor<8x4xf32>
  // CHECK-NEXT: froe.relu %[[G]]
  // CHECK-NOT: rank.
  %3 = froe.relu %0 {froe.in = [#whole], froe.out = [#whole]} : tensor<8x4xf32>
  return %1, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// RUN: froe-opt %s --partition | FileCheck %s
// Column then row: one product's columns are cut, the next one's rows, and the partial sums are combined once.

#whole = #froe.sharding<@mesh, [{}, {} ]>
#rows = #froe.sharding<@mesh, [{"x"}, {} ]>
#columns = #froe.sharding<@mesh, [{}, {"x"}]>
#terms = #froe.sharding<@mesh, [{}, {} ], partial<sum>{"x"}>
froe.mesh @mesh ["x" = 2]
// CHECK: func.func @main(%[[X:.*]]: tensor<8x16xf32> {froe.global_type = tensor<8x16xf32>, froe.sharding = #{{.*}}}) -> (tensor<8x4xf32>
func.func @main(%x: tensor<8x16xf32> {froe.sharding = #whole}) -> (tensor<8x4xf32> {froe.sharding = #whole}) {
  // CHECK: froe.weight "w1" in "w.bin" [0 : 2048] {froe.global_type = tensor<16x32xf32>, froe.sharding = {{.*}}} : tensor<16x16xf32>
  %w1 = froe.weight "w1" in "w.bin" [0 : 2048] {froe.in = [], froe.out = [#columns]} : tensor<16x32xf32>
  %w2 = froe.weight "w2" in "w.bin" [2048 : 512] {froe.in = [], froe.out = [#rows]} : tensor<32x4xf32>
  // CHECK: %[[H:.*]] = froe.contract "bi,io->bo" %[[X]], {{.*}} -> tensor<8x16xf32>
  %0 = froe.contract "bi,io->bo" %x, %w1 {froe.in = [#whole, #columns], froe.out = [#columns]} : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  // CHECK-NEXT: %[[A:.*]] = froe.relu %[[H]] : tensor<8x16xf32>
  %1 = froe.relu %0 {froe.in = [#columns], froe.out = [#columns]} : tensor<8x32xf32>
  // CHECK-NEXT: %[[P:.*]] = froe.contract "bi,io->bo" %[[A]]
  %2 = froe.contract "bi,io->bo" %1, %w2 {froe.in = [#columns, #rows], froe.out = [#terms]} : tensor<8x32xf32>, tensor<32x4xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = rank.all_reduce sum %[[P]] over ["x"] : tensor<8x4xf32>
  // CHECK-NEXT: return %[[Y]]
  return %2 : tensor<8x4xf32>
}

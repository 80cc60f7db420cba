// RUN: froe-opt %s --partition | FileCheck %s
// What every rank can make by itself: a constant is whole and cut locally, one number has the local
// shape at once, an index along a cut dim is a part of the whole range.

#rows = #froe.sharding<@mesh, [{"x"}, {} ]>
#whole = #froe.sharding<@mesh, [{}, {} ]>
froe.mesh @mesh ["x" = 2]
// CHECK-LABEL: func.func @main() -> (tensor<2x3xi64>
func.func @main() -> (tensor<4x3xi64> {froe.sharding = #rows}) {
  // CHECK: %[[C:.*]] = froe.constant {{.*}} : tensor<4x3xi64>
  %0 = froe.constant {froe.in = [], froe.out = [#whole]} dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi64>
  // CHECK: %[[I:.*]] = froe.iota dim 0 : tensor<4x3xi64>
  // CHECK: %[[J:.*]] = rank.slice %[[I]] over ["x"] dim 0 : tensor<4x3xi64> -> tensor<2x3xi64>
  %1 = froe.iota dim 0 {froe.in = [], froe.out = [#rows]} : tensor<4x3xi64>
  // CHECK: %[[D:.*]] = rank.slice %[[C]] over ["x"] dim 0
  // CHECK: froe.add %[[D]], %[[J]] : tensor<2x3xi64>
  %2 = froe.add %0, %1 {froe.in = [#rows, #rows], froe.out = [#rows]} : tensor<4x3xi64>
  // CHECK: %[[S:.*]] = froe.constant dense<7> : tensor<2x3xi64>
  // CHECK: froe.mul %{{.*}}, %[[S]] : tensor<2x3xi64>
  %3 = froe.constant {froe.in = [], froe.out = [#rows]} dense<7> : tensor<4x3xi64>
  %4 = froe.mul %2, %3 {froe.in = [#rows, #rows], froe.out = [#rows]} : tensor<4x3xi64>
  return %4 : tensor<4x3xi64>
}

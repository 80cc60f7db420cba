// Other ranks read the operand of a collective in the arena: a weight is copied there, once for all collectives.
// RUN: froe-opt --form-kernels --assign-arena --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[W:.*]] = froe.weight "w"
// CHECK:         %[[COPY:.*]] = rank.launch @copy_0(%[[W]])
// CHECK:         rank.all_gather %[[COPY]]
// CHECK:         rank.all_to_all %[[COPY]]
// CHECK-NOT:     rank.launch
froe.mesh @mesh ["x" = 2]
func.func @main() -> (tensor<8x4xf32>, tensor<8x2xf32>) {
  %w = froe.weight "w" in "w.bin" [0 : 64] : tensor<4x4xf32>
  %0 = rank.all_gather %w over ["x"] dim 0 : tensor<4x4xf32> -> tensor<8x4xf32>
  %1 = rank.all_to_all %w over ["x"] from 0 to 1 : tensor<4x4xf32> -> tensor<8x2xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x2xf32>
}

// -----

// A view is copied as what it shows; what stays on this rank is read in place.
// CHECK-LABEL: func.func @main
// CHECK:         %[[C:.*]] = froe.constant
// CHECK:         %[[VIEW:.*]] = rank.view
// CHECK:         %[[COPY:.*]] = rank.launch @copy_0(%[[VIEW]])
// CHECK:         rank.reduce_scatter sum %[[COPY]]
// CHECK:         rank.slice %[[C]]
froe.mesh @mesh ["x" = 2]
func.func @main() -> (tensor<1x2xf32>, tensor<2xf32>) {
  %c = froe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %view = rank.view %c : tensor<4xf32> -> tensor<2x2xf32>
  %0 = rank.reduce_scatter sum %view over ["x"] dim 0 : tensor<2x2xf32> -> tensor<1x2xf32>
  %1 = rank.slice %c over ["x"] dim 0 : tensor<4xf32> -> tensor<2xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<2xf32>
}

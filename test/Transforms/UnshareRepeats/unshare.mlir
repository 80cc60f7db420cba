// RUN: froe-opt --unshare-repeats %s | FileCheck %s

// Two layers read one mask: each repeats it for itself. A constant of one number is copied as well, also behind a broadcast.
// CHECK-LABEL: @mask_of_two_layers
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[MASK:.*]]: tensor<3xf32>)
// CHECK: %[[A:.*]] = froe.broadcast %[[MASK]]
// CHECK: %[[FIRST:.*]] = froe.add %[[X]], %[[A]]
// CHECK: %[[HALF:.*]] = froe.constant
// CHECK: %[[SCALED:.*]] = froe.mul %[[FIRST]], %[[HALF]]
// CHECK: %[[B:.*]] = froe.broadcast %[[MASK]]
// CHECK: %[[SECOND:.*]] = froe.add %[[SCALED]], %[[B]]
// CHECK: froe.mul %[[SECOND]], %{{.*}} : tensor<2x3xf32>
func.func @mask_of_two_layers(%x: tensor<2x3xf32>, %mask: tensor<3xf32>) -> tensor<2x3xf32> {
  %m = froe.broadcast %mask dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %0 = froe.add %x, %m : tensor<2x3xf32>
  %half = froe.constant dense<5.0e-01> : tensor<2x3xf32>
  %1 = froe.mul %0, %half : tensor<2x3xf32>
  %2 = froe.add %1, %m : tensor<2x3xf32>
  %3 = froe.mul %2, %half : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// One user that reads it twice has it once. A product finds its operands in memory: they are made once.
// CHECK-LABEL: @one_copy_is_enough
// CHECK-COUNT-2: froe.broadcast
// CHECK-NOT: froe.broadcast
func.func @one_copy_is_enough(%x: tensor<3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %e = froe.broadcast %x dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %0 = froe.mul %e, %e : tensor<2x3xf32>
  %1 = froe.contract "mk,kn->mn" %e, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %2 = froe.contract "mk,kn->mn" %e, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// Constants of many numbers stay in memory.
// CHECK-LABEL: @numbers
// CHECK-COUNT-1: froe.constant
// CHECK-NOT: froe.constant
func.func @numbers(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = froe.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = froe.add %x, %c : tensor<2xf32>
  %1 = froe.mul %0, %c : tensor<2xf32>
  return %1 : tensor<2xf32>
}

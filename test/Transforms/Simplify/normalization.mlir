// RUN: froe-opt --simplify %s | FileCheck %s

// CHECK-LABEL: @rms
// CHECK: froe.normalize rms %arg0 from 1 scale(%arg1 : tensor<8xf32>) epsilon 9.99
func.func @rms(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = froe.constant dense<2.0> : tensor<4x8xf32>
  %eighth = froe.constant dense<0.125> : tensor<4xf32>
  %epsilon = froe.constant dense<1.0e-6> : tensor<4x1xf32>
  %0 = froe.pow %x, %two : tensor<4x8xf32>
  %1 = froe.reduce sum %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = froe.mul %1, %eighth : tensor<4xf32>
  %3 = froe.reshape %2 : tensor<4xf32> -> tensor<4x1xf32>
  %4 = froe.add %3, %epsilon : tensor<4x1xf32>
  %5 = froe.sqrt %4 : tensor<4x1xf32>
  %6 = froe.reciprocal %5 : tensor<4x1xf32>
  %7 = froe.broadcast %6 dims [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  %8 = froe.mul %x, %7 : tensor<4x8xf32>
  %9 = froe.broadcast %w dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %10 = froe.mul %8, %9 : tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}

// CHECK-LABEL: @square
// CHECK: froe.normalize rms %arg0 from 1 epsilon
func.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %eighth = froe.constant dense<0.125> : tensor<8xf32>
  %epsilon = froe.constant dense<1.0e-6> : tensor<8xf32>
  %0 = froe.mul %x, %x : tensor<8x8xf32>
  %1 = froe.reduce sum %0 dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %2 = froe.mul %1, %eighth : tensor<8xf32>
  %3 = froe.add %2, %epsilon : tensor<8xf32>
  %4 = froe.sqrt %3 : tensor<8xf32>
  %5 = froe.reciprocal %4 : tensor<8xf32>
  %6 = froe.broadcast %5 dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %7 = froe.mul %x, %6 : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// The inverse root goes along the dim that it is a mean over.
// CHECK-LABEL: @wrong_dim
// CHECK-NOT: froe.normalize
func.func @wrong_dim(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %eighth = froe.constant dense<0.125> : tensor<8xf32>
  %epsilon = froe.constant dense<1.0e-6> : tensor<8xf32>
  %0 = froe.mul %x, %x : tensor<8x8xf32>
  %1 = froe.reduce sum %0 dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %2 = froe.mul %1, %eighth : tensor<8xf32>
  %3 = froe.add %2, %epsilon : tensor<8xf32>
  %4 = froe.sqrt %3 : tensor<8xf32>
  %5 = froe.reciprocal %4 : tensor<8xf32>
  %6 = froe.broadcast %5 dims [1] : tensor<8xf32> -> tensor<8x8xf32>
  %7 = froe.mul %x, %6 : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// The same, by a reshape that splits the vector.
// CHECK-LABEL: @split
// CHECK-NOT: froe.normalize
func.func @split(%x: tensor<4x2x2xf32>) -> tensor<4x2x2xf32> {
  %quarter = froe.constant dense<0.25> : tensor<4xf32>
  %epsilon = froe.constant dense<1.0e-6> : tensor<4xf32>
  %0 = froe.mul %x, %x : tensor<4x2x2xf32>
  %1 = froe.reduce sum %0 dims [1, 2] : tensor<4x2x2xf32> -> tensor<4xf32>
  %2 = froe.mul %1, %quarter : tensor<4xf32>
  %3 = froe.add %2, %epsilon : tensor<4xf32>
  %4 = froe.sqrt %3 : tensor<4xf32>
  %5 = froe.reciprocal %4 : tensor<4xf32>
  %6 = froe.reshape %5 : tensor<4xf32> -> tensor<2x2xf32>
  %7 = froe.broadcast %6 dims [1, 2] : tensor<2x2xf32> -> tensor<4x2x2xf32>
  %8 = froe.mul %x, %7 : tensor<4x2x2xf32>
  return %8 : tensor<4x2x2xf32>
}

// Two dims of three are normalised together only where they are the last.
// CHECK-LABEL: @two_dims
// CHECK: froe.normalize rms %arg0 from 1 epsilon
// CHECK-NOT: froe.normalize
func.func @two_dims(%x: tensor<4x4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>) {
  %sixteenth = froe.constant dense<0.0625> : tensor<4xf32>
  %epsilon = froe.constant dense<1.0e-6> : tensor<4xf32>
  %0 = froe.mul %x, %x : tensor<4x4x4xf32>
  %1 = froe.reduce sum %0 dims [1, 2] : tensor<4x4x4xf32> -> tensor<4xf32>
  %2 = froe.mul %1, %sixteenth : tensor<4xf32>
  %3 = froe.add %2, %epsilon : tensor<4xf32>
  %4 = froe.sqrt %3 : tensor<4xf32>
  %5 = froe.reciprocal %4 : tensor<4xf32>
  %6 = froe.broadcast %5 dims [0] : tensor<4xf32> -> tensor<4x4x4xf32>
  %7 = froe.mul %x, %6 : tensor<4x4x4xf32>
  %8 = froe.reduce sum %0 dims [0, 2] : tensor<4x4x4xf32> -> tensor<4xf32>
  %9 = froe.mul %8, %sixteenth : tensor<4xf32>
  %10 = froe.add %9, %epsilon : tensor<4xf32>
  %11 = froe.sqrt %10 : tensor<4xf32>
  %12 = froe.reciprocal %11 : tensor<4xf32>
  %13 = froe.broadcast %12 dims [1] : tensor<4xf32> -> tensor<4x4x4xf32>
  %14 = froe.mul %x, %13 : tensor<4x4x4xf32>
  return %7, %14 : tensor<4x4x4xf32>, tensor<4x4x4xf32>
}

// RUN: froe-opt --simplify %s | FileCheck %s

// CHECK-LABEL: @gelu_erf
// CHECK: froe.gelu erf %arg0 : tensor<4xf32>
func.func @gelu_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = froe.constant dense<0.5> : tensor<4xf32>
  %one = froe.constant dense<1.0> : tensor<4xf32>
  %root = froe.constant dense<1.41421354> : tensor<4xf32>
  %0 = froe.div %x, %root : tensor<4xf32>
  %1 = froe.erf %0 : tensor<4xf32>
  %2 = froe.add %1, %one : tensor<4xf32>
  %3 = froe.mul %x, %2 : tensor<4xf32>
  %4 = froe.mul %3, %half : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: @gelu_tanh
// CHECK: froe.gelu tanh %arg0 : tensor<4xf32>
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = froe.constant dense<0.5> : tensor<4xf32>
  %one = froe.constant dense<1.0> : tensor<4xf32>
  %three = froe.constant dense<3.0> : tensor<4xf32>
  %c = froe.constant dense<0.044715> : tensor<4xf32>
  %r = froe.constant dense<0.797884583> : tensor<4xf32>
  %0 = froe.mul %x, %half : tensor<4xf32>
  %1 = froe.pow %x, %three : tensor<4xf32>
  %2 = froe.mul %1, %c : tensor<4xf32>
  %3 = froe.add %x, %2 : tensor<4xf32>
  %4 = froe.mul %3, %r : tensor<4xf32>
  %5 = froe.tanh %4 : tensor<4xf32>
  %6 = froe.add %5, %one : tensor<4xf32>
  %7 = froe.mul %0, %6 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Nearly GELU is not GELU.
// CHECK-LABEL: @not_gelu
// CHECK-NOT: froe.gelu
func.func @not_gelu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = froe.constant dense<0.5> : tensor<4xf32>
  %one = froe.constant dense<1.0> : tensor<4xf32>
  %root = froe.constant dense<1.41421354> : tensor<4xf32>
  %0 = froe.div %y, %root : tensor<4xf32>
  %1 = froe.erf %0 : tensor<4xf32>
  %2 = froe.add %1, %one : tensor<4xf32>
  %3 = froe.mul %x, %2 : tensor<4xf32>
  %4 = froe.mul %3, %half : tensor<4xf32>
  %5 = froe.erf %x : tensor<4xf32>
  %6 = froe.add %5, %one : tensor<4xf32>
  %7 = froe.mul %x, %6 : tensor<4xf32>
  %8 = froe.mul %7, %half : tensor<4xf32>
  return %4, %8 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @silu
// CHECK: froe.silu %arg0 : tensor<4xf32>
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = froe.sigmoid %x : tensor<4xf32>
  %1 = froe.mul %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

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

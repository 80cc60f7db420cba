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

// Constants that are off by more than their type's rounding are other constants.
// CHECK-LABEL: @other_constants
// CHECK-NOT: froe.gelu
func.func @other_constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = froe.constant dense<0.5005> : tensor<4xf32>
  %one = froe.constant dense<1.0> : tensor<4xf32>
  %root = froe.constant dense<1.4152> : tensor<4xf32>
  %0 = froe.div %x, %root : tensor<4xf32>
  %1 = froe.erf %0 : tensor<4xf32>
  %2 = froe.add %1, %one : tensor<4xf32>
  %3 = froe.mul %x, %2 : tensor<4xf32>
  %4 = froe.constant dense<0.5> : tensor<4xf32>
  %5 = froe.mul %3, %4 : tensor<4xf32>
  %exact = froe.constant dense<1.41421354> : tensor<4xf32>
  %6 = froe.div %x, %exact : tensor<4xf32>
  %7 = froe.erf %6 : tensor<4xf32>
  %8 = froe.add %7, %one : tensor<4xf32>
  %9 = froe.mul %x, %8 : tensor<4xf32>
  %10 = froe.mul %9, %half : tensor<4xf32>
  return %5, %10 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @half
// CHECK: froe.gelu erf %arg0 : tensor<4xf16>
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %half = froe.constant dense<0.5> : tensor<4xf16>
  %one = froe.constant dense<1.0> : tensor<4xf16>
  %root = froe.constant dense<1.4140625> : tensor<4xf16>
  %0 = froe.div %x, %root : tensor<4xf16>
  %1 = froe.erf %0 : tensor<4xf16>
  %2 = froe.add %1, %one : tensor<4xf16>
  %3 = froe.mul %x, %2 : tensor<4xf16>
  %4 = froe.mul %3, %half : tensor<4xf16>
  return %4 : tensor<4xf16>
}

// CHECK-LABEL: @integers
// CHECK: froe.mul
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = froe.mul %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Kernels that differ in the elements of a constant alone are two kernels.
// RUN: froe-opt --form-kernels %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         rank.launch @mul_0(%arg0)
// CHECK:         rank.launch @mul_1(%arg1)
// CHECK:         rank.launch @mul_0(%arg2)
// CHECK-LABEL: func.func private @mul_0
// CHECK:         dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-LABEL: func.func private @mul_1
// CHECK:         dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 5.000000e+00]>
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = froe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = froe.mul %a, %0 : tensor<4xf32>
  %2 = froe.constant dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32>
  %3 = froe.mul %b, %2 : tensor<4xf32>
  %4 = froe.mul %c, %0 : tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

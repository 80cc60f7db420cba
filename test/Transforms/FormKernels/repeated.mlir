// What would be computed again for each row stays a kernel of its own; what is cheap does not.
// RUN: froe-opt --form-kernels %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[E:.*]] = rank.launch @exp_0(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
// CHECK:         rank.launch @add_0(%[[E]], %arg1)
// CHECK:         rank.launch @mul_0(%arg0, %arg1)
// CHECK-LABEL: func.func private @mul_0
// CHECK:         froe.neg
// CHECK-LABEL: func.func private @add_0
// CHECK-NOT:     froe.exp
// CHECK:         return
func.func @main(%a: tensor<64xf32>, %b: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = froe.exp %a : tensor<64xf32>
  %1 = froe.broadcast %0 dims [1] : tensor<64xf32> -> tensor<32x64xf32>
  %2 = froe.add %1, %b : tensor<32x64xf32>
  %3 = froe.neg %a : tensor<64xf32>
  %4 = froe.broadcast %3 dims [1] : tensor<64xf32> -> tensor<32x64xf32>
  %5 = froe.mul %4, %b : tensor<32x64xf32>
  return %2, %5 : tensor<32x64xf32>, tensor<32x64xf32>
}

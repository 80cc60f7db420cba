// Every result of the program has a buffer of its own.
// RUN: froe-opt --form-kernels %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[N:.*]] = rank.launch @neg_0(%arg0)
// CHECK:         %[[A:.*]] = rank.launch @copy_0(%arg0)
// CHECK:         %[[B:.*]] = rank.launch @copy_0(%[[N]])
// CHECK:         return %[[A]], %[[N]], %[[B]]
// CHECK-LABEL: func.func private @copy_0(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    return %arg0
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = froe.neg %a : tensor<4xf32>
  return %a, %0, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

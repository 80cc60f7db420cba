// RUN: froe-opt %s | froe-opt | FileCheck %s
// RUN: froe-opt %s --mlir-print-op-generic | froe-opt | FileCheck %s

froe.mesh @mesh ["x" = 2, "y" = 2]

func.func private @softmax_0(tensor<4x8xf32>) -> tensor<4x8xf32>

// CHECK-LABEL: @collectives
func.func @collectives(%a: tensor<4x8xf32>, %b: tensor<7x8xf32>) {
  // CHECK: rank.all_reduce sum %arg0 over ["x"] : tensor<4x8xf32>
  %0 = rank.all_reduce sum %a over ["x"] : tensor<4x8xf32>
  // CHECK: rank.all_gather %arg0 over ["x"] dim 0 : tensor<4x8xf32> -> tensor<7x8xf32>
  %1 = rank.all_gather %a over ["x"] dim 0 : tensor<4x8xf32> -> tensor<7x8xf32>
  // CHECK: rank.wait %1 : tensor<7x8xf32>
  rank.wait %1 : tensor<7x8xf32>
  // CHECK: rank.reduce_scatter max %arg1 over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  %2 = rank.reduce_scatter max %b over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  // CHECK: rank.all_to_all %arg0 over ["x", "y"] from 0 to 1 : tensor<4x8xf32> -> tensor<16x2xf32>
  %3 = rank.all_to_all %a over ["x", "y"] from 0 to 1 : tensor<4x8xf32> -> tensor<16x2xf32>
  // CHECK: rank.slice %arg1 over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  %4 = rank.slice %b over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  // CHECK: rank.mask %arg0 over ["x"] dim 0 size 7 with 0.000000e+00 : f32 : tensor<4x8xf32>
  %5 = rank.mask %a over ["x"] dim 0 size 7 with 0.0 : f32 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: @steps
func.func @steps(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // CHECK: rank.launch @softmax_0(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = rank.launch @softmax_0(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: rank.matmul "mk,kn->mn" %arg0, %arg1 posts [#rank.post<scale by 2.500000e-01 : f32>, #rank.post<add along "n">, #rank.post<gelu_erf>](%arg2)
  %1 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<scale by 0.25 : f32>, #rank.post<add along "n">, #rank.post<gelu_erf>](%b)
      : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: rank.view %arg0 : tensor<4x8xf32> -> tensor<32xf32>
  %2 = rank.view %a : tensor<4x8xf32> -> tensor<32xf32>
  return
}

// RUN: froe-opt %s | froe-opt | FileCheck %s
// RUN: froe-opt %s --mlir-print-op-generic | froe-opt | FileCheck %s

// CHECK: #[[PARTIAL:.*]] = #froe.sharding<@mesh, [{}, {"x"}], partial<sum>{"y"}>
// CHECK: froe.mesh @mesh ["x" = 2, "y" = 4]
froe.mesh @mesh ["x" = 2, "y" = 4]

// CHECK-LABEL: @sharded
// CHECK: %arg0: tensor<4x8xf32> {froe.sharding = #froe.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<4x8xf32> {froe.sharding = #[[PARTIAL]]})
func.func @sharded(%a: tensor<4x8xf32> {froe.sharding = #froe.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<4x8xf32> {froe.sharding = #froe.sharding<@mesh, [{}, {"x"}], partial<sum>{"y"}>}) {
  return %a : tensor<4x8xf32>
}

// CHECK-LABEL: @program
func.func @program() {
  // CHECK: froe.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = froe.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: froe.weight "fc.weight" in "model.onnx.data" [4096 : 128] : tensor<4x8xf32>
  %1 = froe.weight "fc.weight" in "model.onnx.data" [4096 : 128] : tensor<4x8xf32>
  // CHECK: froe.weight "fc.weight" in "model.onnx.data" [4096 : 128] as f32 : tensor<4x8xf16>
  %narrow = froe.weight "fc.weight" in "model.onnx.data" [4096 : 128] as f32 : tensor<4x8xf16>
  // CHECK: froe.iota dim 1 : tensor<4x8xi64>
  %2 = froe.iota dim 1 : tensor<4x8xi64>
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xi1>) {
  // CHECK: froe.exp %arg0 : tensor<4x8xf32>
  %0 = froe.exp %a : tensor<4x8xf32>
  // CHECK: froe.gelu tanh %arg0 : tensor<4x8xf32>
  %1 = froe.gelu tanh %a : tensor<4x8xf32>
  // CHECK: froe.add %arg0, %arg1 : tensor<4x8xf32>
  %2 = froe.add %a, %b : tensor<4x8xf32>
  // CHECK: froe.compare less_or_equal %arg0, %arg1 : tensor<4x8xf32> -> tensor<4x8xi1>
  %3 = froe.compare less_or_equal %a, %b : tensor<4x8xf32> -> tensor<4x8xi1>
  // CHECK: froe.is_nan %arg0 : tensor<4x8xf32> -> tensor<4x8xi1>
  %4 = froe.is_nan %a : tensor<4x8xf32> -> tensor<4x8xi1>
  // CHECK: froe.select %arg2, %arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xf32>
  %5 = froe.select %c, %a, %b : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: froe.cast %arg2 : tensor<4x8xi1> to tensor<4x8xbf16>
  %6 = froe.cast %c : tensor<4x8xi1> to tensor<4x8xbf16>
  // CHECK: froe.cast saturate %arg0 : tensor<4x8xf32> to tensor<4x8xf16>
  %narrow = froe.cast saturate %a : tensor<4x8xf32> to tensor<4x8xf16>
  return
}

// CHECK-LABEL: @contraction_and_reduction
func.func @contraction_and_reduction(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %s: tensor<8xf32>) {
  // CHECK: froe.contract "mk,kn->mn" %arg0, %arg1 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %0 = froe.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  // CHECK: froe.contract "mk,nk->mn" %{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x4xf32>
  %half = froe.cast %a : tensor<4x8xf32> to tensor<4x8xbf16>
  %sums = froe.contract "mk,nk->mn" %half, %half : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x4xf32>
  // CHECK: froe.reduce max %arg0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = froe.reduce max %a dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: froe.softmax %arg0 dim 1 : tensor<4x8xf32>
  %2 = froe.softmax %a dim 1 : tensor<4x8xf32>
  // CHECK: froe.normalize layer %arg0 from 1 scale(%arg2 : tensor<8xf32>) bias(%arg2 : tensor<8xf32>) epsilon 1.000000e-05 : tensor<4x8xf32>
  %3 = froe.normalize layer %a from 1 scale(%s : tensor<8xf32>) bias(%s : tensor<8xf32>) epsilon 1.0e-05 : tensor<4x8xf32>
  // CHECK: froe.normalize rms %arg0 from 1 epsilon 1.000000e-05 : tensor<4x8xf32>
  %4 = froe.normalize rms %a from 1 epsilon 1.0e-05 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: @layout
func.func @layout(%a: tensor<4x8xf32>, %b: tensor<4x2xf32>, %i: tensor<3xi64>, %t: tensor<5x2xi64>) {
  // CHECK: froe.reshape %arg0 : tensor<4x8xf32> -> tensor<32xf32>
  %0 = froe.reshape %a : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: froe.transpose %arg0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = froe.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: froe.broadcast %arg0 dims [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %2 = froe.broadcast %a dims [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  // CHECK: froe.concat %arg0, %arg1 dim 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
  %3 = froe.concat %a, %b dim 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
  // CHECK: froe.slice %arg0 starts [0, 6] strides [1, -2] : tensor<4x8xf32> -> tensor<4x3xf32>
  %4 = froe.slice %a starts [0, 6] strides [1, -2] : tensor<4x8xf32> -> tensor<4x3xf32>
  // CHECK: froe.pad %arg0 low [0, 1] high [0, 2] with 0.000000e+00 : f32 : tensor<4x8xf32> -> tensor<4x11xf32>
  %5 = froe.pad %a low [0, 1] high [0, 2] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x11xf32>
  // CHECK: froe.window %arg0 sizes [3] strides [2] dilations [1] : tensor<4x8xf32> -> tensor<4x3x3xf32>
  %w = froe.window %a sizes [3] strides [2] dilations [1] : tensor<4x8xf32> -> tensor<4x3x3xf32>
  // CHECK: froe.gather %arg0, %arg2 dim 0 : tensor<4x8xf32>, tensor<3xi64> -> tensor<3x8xf32>
  %6 = froe.gather %a, %i dim 0 : tensor<4x8xf32>, tensor<3xi64> -> tensor<3x8xf32>
  // CHECK: froe.gather_nd %arg0, %arg3 batch_dims 0 : tensor<4x8xf32>, tensor<5x2xi64> -> tensor<5xf32>
  %7 = froe.gather_nd %a, %t batch_dims 0 : tensor<4x8xf32>, tensor<5x2xi64> -> tensor<5xf32>
  return
}

// CHECK-LABEL: @unary
func.func @unary(%a: tensor<4x8xf32>, %c: tensor<4x8xi1>) {
  // CHECK: froe.abs %arg0 : tensor<4x8xf32>
  %0 = froe.abs %a : tensor<4x8xf32>
  // CHECK: froe.neg %arg0 : tensor<4x8xf32>
  %1 = froe.neg %a : tensor<4x8xf32>
  // CHECK: froe.exp %arg0 : tensor<4x8xf32>
  %2 = froe.exp %a : tensor<4x8xf32>
  // CHECK: froe.log %arg0 : tensor<4x8xf32>
  %3 = froe.log %a : tensor<4x8xf32>
  // CHECK: froe.sqrt %arg0 : tensor<4x8xf32>
  %4 = froe.sqrt %a : tensor<4x8xf32>
  // CHECK: froe.reciprocal %arg0 : tensor<4x8xf32>
  %5 = froe.reciprocal %a : tensor<4x8xf32>
  // CHECK: froe.sin %arg0 : tensor<4x8xf32>
  %6 = froe.sin %a : tensor<4x8xf32>
  // CHECK: froe.cos %arg0 : tensor<4x8xf32>
  %7 = froe.cos %a : tensor<4x8xf32>
  // CHECK: froe.tanh %arg0 : tensor<4x8xf32>
  %8 = froe.tanh %a : tensor<4x8xf32>
  // CHECK: froe.erf %arg0 : tensor<4x8xf32>
  %9 = froe.erf %a : tensor<4x8xf32>
  // CHECK: froe.floor %arg0 : tensor<4x8xf32>
  %10 = froe.floor %a : tensor<4x8xf32>
  // CHECK: froe.ceil %arg0 : tensor<4x8xf32>
  %11 = froe.ceil %a : tensor<4x8xf32>
  // CHECK: froe.round %arg0 : tensor<4x8xf32>
  %12 = froe.round %a : tensor<4x8xf32>
  // CHECK: froe.sign %arg0 : tensor<4x8xf32>
  %13 = froe.sign %a : tensor<4x8xf32>
  // CHECK: froe.sigmoid %arg0 : tensor<4x8xf32>
  %14 = froe.sigmoid %a : tensor<4x8xf32>
  // CHECK: froe.silu %arg0 : tensor<4x8xf32>
  %15 = froe.silu %a : tensor<4x8xf32>
  // CHECK: froe.relu %arg0 : tensor<4x8xf32>
  %16 = froe.relu %a : tensor<4x8xf32>
  // CHECK: froe.not %arg1 : tensor<4x8xi1>
  %17 = froe.not %c : tensor<4x8xi1>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<4x8xi64>, %b: tensor<4x8xi64>) {
  // CHECK: froe.add %arg0, %arg1 : tensor<4x8xi64>
  %0 = froe.add %a, %b : tensor<4x8xi64>
  // CHECK: froe.sub %arg0, %arg1 : tensor<4x8xi64>
  %1 = froe.sub %a, %b : tensor<4x8xi64>
  // CHECK: froe.mul %arg0, %arg1 : tensor<4x8xi64>
  %2 = froe.mul %a, %b : tensor<4x8xi64>
  // CHECK: froe.div %arg0, %arg1 : tensor<4x8xi64>
  %3 = froe.div %a, %b : tensor<4x8xi64>
  // CHECK: froe.mod %arg0, %arg1 : tensor<4x8xi64>
  %4 = froe.mod %a, %b : tensor<4x8xi64>
  // CHECK: froe.pow %arg0, %arg1 : tensor<4x8xi64>
  %5 = froe.pow %a, %b : tensor<4x8xi64>
  // CHECK: froe.max %arg0, %arg1 : tensor<4x8xi64>
  %6 = froe.max %a, %b : tensor<4x8xi64>
  // CHECK: froe.min %arg0, %arg1 : tensor<4x8xi64>
  %7 = froe.min %a, %b : tensor<4x8xi64>
  // CHECK: froe.and %arg0, %arg1 : tensor<4x8xi64>
  %8 = froe.and %a, %b : tensor<4x8xi64>
  // CHECK: froe.or %arg0, %arg1 : tensor<4x8xi64>
  %9 = froe.or %a, %b : tensor<4x8xi64>
  // CHECK: froe.xor %arg0, %arg1 : tensor<4x8xi64>
  %10 = froe.xor %a, %b : tensor<4x8xi64>
  return
}

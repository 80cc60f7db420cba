// RUN: froe-opt %s --print-sharding-rules -o %t | FileCheck %s
// Rules that depend on attributes.

func.func @main(%x: tensor<4x6x8xf32>, %v: tensor<8xf32>, %i: tensor<5x3xi64>, %s: tensor<f32>, %h: tensor<4x8xf16>, %g: tensor<8x6xf16>) {
  // CHECK: froe.constant: -> (d0) | d0: whole
  %c = froe.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-NEXT: froe.weight: -> (d0, d1)
  %w = froe.weight "w" in "w.bin" [0 : 96] : tensor<3x8xf32>
  // CHECK-NEXT: froe.iota: -> (d0, d1)
  %n = froe.iota dim 1 : tensor<4x6xi64>
  // CHECK-NEXT: froe.contract: (a, b, c), (d, c) -> (a, b, d) | c: sum | partial 0: sum | partial 1: sum
  %0 = froe.contract "abc,dc->abd" %x, %w : tensor<4x6x8xf32>, tensor<3x8xf32> -> tensor<4x6x3xf32>
  // CHECK-NEXT: froe.reduce: (d0, d1, d2) -> (d1) | d0: max, d2: max | partial 0: max
  %1 = froe.reduce max %x dims [0, 2] : tensor<4x6x8xf32> -> tensor<6xf32>
  // CHECK-NEXT: froe.softmax: (d0, d1, d2) -> (d0, d1, d2) | d1: whole
  %2 = froe.softmax %x dim 1 : tensor<4x6x8xf32>
  // CHECK-NEXT: froe.normalize: (d0, d1, d2), (d2), (d2) -> (d0, d1, d2) | d2: whole
  %3 = froe.normalize layer %x from 2 scale(%v : tensor<8xf32>) bias(%v : tensor<8xf32>) epsilon 1.0e-05 : tensor<4x6x8xf32>
  // Merged dims keep their factors, split ones get theirs, major first.
  // CHECK-NEXT: froe.reshape: (d0, d1, d2) -> (d0*d1, d2) | partial 0: any
  %4 = froe.reshape %x : tensor<4x6x8xf32> -> tensor<24x8xf32>
  // CHECK-NEXT: froe.reshape: (d0, d1, d2*d3) -> (d0, d1, d2, d3) | partial 0: any
  %5 = froe.reshape %x : tensor<4x6x8xf32> -> tensor<4x6x2x4xf32>
  // 6x8 and 8x6 share a leading 2; behind it nothing may be cut.
  // CHECK-NEXT: froe.reshape: (d0, d1*d2, d4) -> (d0, d1*d3, d5) | d2: whole, d3: whole, d4: whole, d5: whole | partial 0: any
  %6 = froe.reshape %x : tensor<4x6x8xf32> -> tensor<4x8x6xf32>
  // CHECK-NEXT: froe.reshape: (d0, d1, d2) -> (1, d0, d1, 1, d2) | partial 0: any
  %7 = froe.reshape %x : tensor<4x6x8xf32> -> tensor<1x4x6x1x8xf32>
  // CHECK-NEXT: froe.transpose: (d0, d1, d2) -> (d2, d0, d1) | partial 0: any
  %8 = froe.transpose %x [2, 0, 1] : tensor<4x6x8xf32> -> tensor<8x4x6xf32>
  // CHECK-NEXT: froe.broadcast: (d1) -> (d0, d1) | partial 0: any
  %9 = froe.broadcast %v dims [1] : tensor<8xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: froe.concat: (d0, d3, d2), (d0, d4, d2) -> (d0, d1, d2) | d1: whole, d3: whole, d4: whole | partial 0 1: any
  %10 = froe.concat %x, %x dim 1 : tensor<4x6x8xf32>, tensor<4x6x8xf32> -> tensor<4x12x8xf32>
  // CHECK-NEXT: froe.slice: (d0, d1, d3) -> (d0, d2, d3) | d1: whole, d2: whole | partial 0: any
  %11 = froe.slice %x starts [0, 1, 0] strides [1, 2, 1] : tensor<4x6x8xf32> -> tensor<4x3x8xf32>
  // Padding of ones would be added once a term; the larger of ones is one.
  // CHECK-NEXT: froe.pad: (d0, d1, d3) -> (d0, d2, d3) | d1: whole, d2: whole | partial 0: max, min, and, or
  %12 = froe.pad %x low [0, 1, 0] high [0, 0, 0] with 1.0 : f32 : tensor<4x6x8xf32> -> tensor<4x7x8xf32>
  // CHECK-NEXT: froe.pad: (d0, d1, d3) -> (d0, d2, d3) | d1: whole, d2: whole | partial 0: sum, max, min, and, or
  %13 = froe.pad %x low [0, 1, 0] high [0, 0, 0] with 0.0 : f32 : tensor<4x6x8xf32> -> tensor<4x7x8xf32>
  // Windows that divide a dim see no neighbours.
  // CHECK-NEXT: froe.window: (d0, d2*d1, d5) -> (d0, d1, d3, d2, d4) | d1: whole, d3: whole, d4: whole, d5: whole | partial 0: any
  %19 = froe.window %x sizes [2, 3] strides [2, 1] dilations [1, 1] : tensor<4x6x8xf32> -> tensor<4x2x3x3x6xf32>
  // CHECK-NEXT: froe.gather: (d0, d1, d2), (d3, d4) -> (d0, d3, d4, d2) | d1: whole | partial 0: any
  %14 = froe.gather %x, %i dim 1 : tensor<4x6x8xf32>, tensor<5x3xi64> -> tensor<4x5x3x8xf32>
  // CHECK-NEXT: froe.gather_nd: (d0, d1, d2), (d3, d4) -> (d3) | d0: whole, d1: whole, d2: whole, d4: whole | partial 0: any
  %15 = froe.gather_nd %x, %i batch_dims 0 : tensor<4x6x8xf32>, tensor<5x3xi64> -> tensor<5xf32>
  // A partial sum of halves would be rounded before it is added to others; a maximum is exact.
  // CHECK-NEXT: froe.contract: (a, b), (b, c) -> (a, c) | b: whole
  %16 = froe.contract "ab,bc->ac" %h, %g : tensor<4x8xf16>, tensor<8x6xf16> -> tensor<4x6xf16>
  // CHECK-NEXT: froe.reduce: (d0, d1) -> (d0) | d1: whole
  %17 = froe.reduce sum %h dims [1] : tensor<4x8xf16> -> tensor<4xf16>
  // CHECK-NEXT: froe.reduce: (d0, d1) -> (d0) | d1: max
  %18 = froe.reduce max %h dims [1] : tensor<4x8xf16> -> tensor<4xf16>
  return
}

// RUN: froe-opt "--convert-floats=type=bf16" --split-input-file %s | FileCheck %s
// RUN: froe-opt "--convert-floats=type=f16" --split-input-file %s | FileCheck %s --check-prefix=F16
// RUN: froe-opt "--convert-floats=type=tf32" --split-input-file %s | FileCheck %s --check-prefix=TF32

// Weights and what is computed is narrow, inputs and outputs are not.
// CHECK: module attributes {froe.floats = "bf16"}
// CHECK-LABEL: @main(%arg0: tensor<4x6xf32>) -> tensor<4x8xf32>
// CHECK: %[[X:.*]] = froe.cast saturate %arg0 : tensor<4x6xf32> to tensor<4x6xbf16>
// CHECK: %[[W:.*]] = froe.weight "w" in "w.bin" [0 : 192] as f32 : tensor<6x8xbf16>
// CHECK: %[[Y:.*]] = froe.contract "mk,kn->mn" %[[X]], %[[W]] : {{.*}} -> tensor<4x8xbf16>
// CHECK: %[[OUT:.*]] = froe.cast %[[Y]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: return %[[OUT]]
// TF32: module attributes {froe.floats = "tf32"}
// TF32: froe.weight "w" in "w.bin" [0 : 192] : tensor<6x8xf32>
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %w = froe.weight "w" in "w.bin" [0 : 192] : tensor<6x8xf32>
  %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Constants are rounded where data need them, also behind repetition. What is too large for the type is its largest number, infinity stays.
// CHECK-LABEL: @main
// CHECK: froe.constant dense<-3.389530e+38> : tensor<bf16>
// CHECK: froe.broadcast %{{.*}} dims [] : tensor<bf16> -> tensor<4xbf16>
// CHECK: froe.constant dense<[0xFF80, 1.000000e+00, 1.000980e-01, 3.389530e+38]> : tensor<4xbf16>
// CHECK: froe.pad {{.*}} with 1.000980e-01 : bf16 : tensor<4xbf16>
// F16: dense<-6.550400e+04> : tensor<f16>
// F16: dense<[0xFC00, 1.000000e+00, 9.997550e-02, 6.550400e+04]> : tensor<4xf16>
func.func @main(%x: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<6xf32> {
  %lowest = froe.constant dense<-3.40282347E+38> : tensor<f32>
  %mask = froe.broadcast %lowest dims [] : tensor<f32> -> tensor<4xf32>
  %0 = froe.select %c, %x, %mask : tensor<4xi1>, tensor<4xf32>
  %table = froe.constant dense<[0xFF800000, 1.0, 0.1, 3.40282347E+38]> : tensor<4xf32>
  %1 = froe.add %0, %table : tensor<4xf32>
  %2 = froe.pad %1 low [1] high [1] with 0.1 : f32 : tensor<4xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

// What comes from integers and constants alone stays f32 until it meets data.
// CHECK-LABEL: @main
// CHECK: %[[P:.*]] = froe.cast %arg0 : tensor<2048xi64> to tensor<2048xf32>
// CHECK: %[[A:.*]] = froe.contract "s,d->sd" %[[P]], %{{.*}} : tensor<2048xf32>, tensor<2xf32> -> tensor<2048x2xf32>
// CHECK: %[[COS:.*]] = froe.cos %[[A]] : tensor<2048x2xf32>
// CHECK: %[[NARROW:.*]] = froe.cast saturate %[[COS]] : tensor<2048x2xf32> to tensor<2048x2xbf16>
// CHECK: froe.broadcast %[[NARROW]] dims [1, 2] : tensor<2048x2xbf16> -> tensor<4x2048x2xbf16>
// CHECK: froe.mul {{.*}} : tensor<4x2048x2xbf16>
func.func @main(%positions: tensor<2048xi64>, %q: tensor<4x2048x2xf32>) -> tensor<4x2048x2xf32> {
  %p = froe.cast %positions : tensor<2048xi64> to tensor<2048xf32>
  %frequencies = froe.constant dense<[1.0, 0.1]> : tensor<2xf32>
  %angles = froe.contract "s,d->sd" %p, %frequencies : tensor<2048xf32>, tensor<2xf32> -> tensor<2048x2xf32>
  %cos = froe.cos %angles : tensor<2048x2xf32>
  %every = froe.broadcast %cos dims [1, 2] : tensor<2048x2xf32> -> tensor<4x2048x2xf32>
  %0 = froe.mul %q, %every : tensor<4x2048x2xf32>
  return %0 : tensor<4x2048x2xf32>
}

// -----

// A sum and what is done to it alone: an epsilon of 1e-12 is nothing in f16. The largest element is exact in any type.
// F16-LABEL: @main(%arg0: tensor<4x768xf32>)
// F16: %[[WIDE:.*]] = froe.cast %[[X:.*]] : tensor<4x768xf16> to tensor<4x768xf32>
// F16: %[[SUM:.*]] = froe.reduce sum %[[WIDE]] dims [1] : tensor<4x768xf32> -> tensor<4xf32>
// F16: %[[EPSILON:.*]] = froe.constant dense<9.99999996E-13> : tensor<4xf32>
// F16: %[[SAFE:.*]] = froe.add %[[SUM]], %[[EPSILON]] : tensor<4xf32>
// F16: %[[NARROW:.*]] = froe.cast saturate %[[SAFE]]
// F16: froe.broadcast %[[NARROW]] dims [0] : tensor<4xf16> -> tensor<4x768xf16>
// F16: froe.reduce max %[[X]] dims [1] : tensor<4x768xf16> -> tensor<4xf16>
func.func @main(%x: tensor<4x768xf32>) -> (tensor<4x768xf32>, tensor<4xf32>) {
  %0 = froe.reduce sum %x dims [1] : tensor<4x768xf32> -> tensor<4xf32>
  %epsilon = froe.constant dense<1.0e-12> : tensor<4xf32>
  %1 = froe.add %0, %epsilon : tensor<4xf32>
  %2 = froe.broadcast %1 dims [0] : tensor<4xf32> -> tensor<4x768xf32>
  %3 = froe.div %x, %2 : tensor<4x768xf32>
  %4 = froe.reduce max %x dims [1] : tensor<4x768xf32> -> tensor<4xf32>
  return %3, %4 : tensor<4x768xf32>, tensor<4xf32>
}

// -----

// Integers, f64 and an input that is an output are not touched; what is narrow already meets the new type without a cast.
// CHECK-LABEL: @main(%arg0: tensor<4xi32>
// CHECK-NEXT: %[[N:.*]] = froe.add %arg0, %arg0 : tensor<4xi32>
// CHECK-NEXT: %[[D:.*]] = froe.exp %arg1 : tensor<4xf64>
// CHECK-NEXT: %[[E:.*]] = froe.exp %arg3 : tensor<4xbf16>
// CHECK-NEXT: %[[OUT:.*]] = froe.cast %[[E]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: return %[[N]], %[[D]], %arg2, %[[OUT]]
func.func @main(%n: tensor<4xi32>, %d: tensor<4xf64>, %x: tensor<4xf32>, %h: tensor<4xbf16>)
    -> (tensor<4xi32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>) {
  %0 = froe.add %n, %n : tensor<4xi32>
  %1 = froe.exp %d : tensor<4xf64>
  %2 = froe.cast %h : tensor<4xbf16> to tensor<4xf32>
  %3 = froe.exp %2 : tensor<4xf32>
  return %0, %1, %x, %3 : tensor<4xi32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>
}

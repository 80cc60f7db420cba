// How work is cut over threads.
// RUN: froe-opt --kernels-to-gpu --split-input-file --canonicalize %s | FileCheck %s

// Elements of 4 bytes: a thread owns 4, and the last thread's neighbours own the 2 that are left over.
// CHECK:       func.func private @points(tensor<4098xf32>) -> tensor<4098xf32>
// CHECK-LABEL: gpu.func @points(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 5, 1, 1>
// CHECK-COUNT-4: llvm.load %{{.*}} !llvm.ptr<1> -> f32
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK:         llvm.atomicrmw _or
func.func private @points(%a: tensor<4098xf32>) -> tensor<4098xf32>
    attributes {rank.domain = array<i64: 4098>, rank.row = 0, rank.extent = 4098, rank.grain = 12} {
  %0 = froe.relu %a : tensor<4098xf32>
  return %0 : tensor<4098xf32>
}

// -----

// Many short rows: a row belongs to a part of a warp, without barriers.
// CHECK-LABEL: gpu.func @short_rows
// CHECK-NOT:     workgroup
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 12500, 1, 1>
// CHECK:         gpu.shuffle  xor
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
func.func private @short_rows(%a: tensor<400000x16xf32>) -> tensor<400000x16xf32>
    attributes {rank.domain = array<i64: 400000, 16>, rank.row = 1, rank.extent = 400000, rank.grain = 12} {
  %0 = froe.softmax %a dim 1 : tensor<400000x16xf32>
  return %0 : tensor<400000x16xf32>
}

// -----

// Few long rows: a block each; every element is read once, sums meet in shared memory.
// CHECK-LABEL: gpu.func @long_rows
// CHECK-SAME:    workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK-COUNT-16: llvm.load %{{.*}} !llvm.ptr<1> -> f32
// CHECK:         gpu.barrier
// CHECK-NOT:     llvm.load %{{.*}} !llvm.ptr<1> -> f32
// CHECK:         gpu.return
func.func private @long_rows(%a: tensor<3x4096xf32>) -> tensor<3xf32>
    attributes {rank.domain = array<i64: 3, 4096>, rank.row = 1, rank.extent = 3, rank.grain = 12} {
  %0 = froe.reduce sum %a dims [1] : tensor<3x4096xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A transpose that moves the innermost dim: tiles of 32 x 32 go through shared memory, both ways along innermost dims.
// CHECK-LABEL: gpu.func @transpose
// CHECK-SAME:    workgroup(%{{.*}} : memref<32x33xf32, #gpu.address_space<workgroup>>
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 16, 1, 1>
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK:         gpu.return
func.func private @transpose(%a: tensor<2x64x128xf32>) -> tensor<2x128x64xf32>
    attributes {rank.domain = array<i64: 2, 128, 64>, rank.row = 1, rank.extent = 256, rank.grain = 12} {
  %0 = froe.transpose %a [0, 2, 1] : tensor<2x64x128xf32> -> tensor<2x128x64xf32>
  return %0 : tensor<2x128x64xf32>
}

// RUN: froe-opt %s --apply-plan="mesh=2 constrain=replicated" | FileCheck %s --check-prefix=WHOLE
// RUN: froe-opt %s --apply-plan="mesh=2 constrain=data" --partition | FileCheck %s --check-prefix=DATA
// RUN: froe-opt %s --apply-plan="mesh=2 constrain=tensor" --partition | FileCheck %s --check-prefix=TENSOR
// RUN: not froe-opt %s --apply-plan="mesh=16 constrain=data" 2>&1 | FileCheck %s --check-prefix=SMALL

// WHOLE-NOT: {"x"}
// WHOLE: froe.mesh @mesh ["x" = 2]

// The batch is cut, weights are whole, nothing is communicated.
// DATA: func.func @main(%{{.*}}: tensor<4x16xf32>
// DATA: froe.weight "w1"{{.*}} : tensor<16x32xf32>
// DATA-NOT: rank.
// DATA: return %{{.*}} : tensor<4x4xf32>

// The batch is whole, weights are cut, partial sums are combined.
// TENSOR: func.func @main(%{{.*}}: tensor<8x16xf32>
// TENSOR-DAG: froe.weight "w1"{{.*}} : tensor<16x16xf32>
// TENSOR-DAG: froe.weight "w2"{{.*}} : tensor<16x4xf32>
// TENSOR: rank.{{(all_reduce|reduce_scatter)}} sum

// SMALL: error: there is no data-parallel plan: the inputs' first dim is 8, too small for 16 devices

func.func @main(%x: tensor<8x16xf32> {froe.name = "x"}) -> (tensor<8x4xf32> {froe.name = "y"}) {
  %w1 = froe.weight "w1" in "w.bin" [0 : 2048] : tensor<16x32xf32>
  %b1 = froe.weight "b1" in "w.bin" [2048 : 128] : tensor<32xf32>
  %w2 = froe.weight "w2" in "w.bin" [2176 : 512] : tensor<32x4xf32>
  %0 = froe.contract "bi,io->bo" %x, %w1 : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %1 = froe.broadcast %b1 dims [1] : tensor<32xf32> -> tensor<8x32xf32>
  %2 = froe.add %0, %1 : tensor<8x32xf32>
  %3 = froe.relu %2 : tensor<8x32xf32>
  %4 = froe.contract "bi,io->bo" %3, %w2 : tensor<8x32xf32>, tensor<32x4xf32> -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

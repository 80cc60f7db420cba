// Less memory than a whole weight: the plan that cuts it is taken; less than any plan needs: that is said, with the largest tensors.
// RUN: froe-opt %s --apply-plan="mesh=2 memory=1300000" --partition | FileCheck %s
// RUN: not froe-opt %s --apply-plan="mesh=2 memory=300000" 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: froe.weight "w"{{.*}} : tensor<{{256x512|512x256}}xf32>
// NONE: error: no plan {{.*}} per device
// NONE-NEXT: note: the smallest {{.*}}; largest in it: 'w'
func.func @main(%x: tensor<8x512xf32> {froe.name = "x"}) -> (tensor<8x512xf32> {froe.name = "y"}) {
  %w = froe.weight "w" in "w.bin" [0 : 1048576] : tensor<512x512xf32>
  %v = froe.weight "v" in "w.bin" [1048576 : 1048576] : tensor<512x512xf32>
  %0 = froe.contract "bi,io->bo" %x, %w : tensor<8x512xf32>, tensor<512x512xf32> -> tensor<8x512xf32> loc("product")
  %1 = froe.contract "bi,io->bo" %0, %v : tensor<8x512xf32>, tensor<512x512xf32> -> tensor<8x512xf32> loc("product2")
  return %1 : tensor<8x512xf32>
}

// A small program with what each phase treats apart: a weight, a constant, a contraction, a reduction, a reshape.
module {
  func.func @main(%x: tensor<5x8xf32> {froe.name = "x"}) -> (tensor<5x6xf32> {froe.name = "y"}) {
    %w = froe.weight "w" in "w.bin" [0 : 192] : tensor<8x6xf32> loc("w")
    %half = froe.constant dense<5.000000e-01> : tensor<5x6xf32> loc("half")
    %0 = froe.contract "ac,cb->ab" %x, %w : tensor<5x8xf32>, tensor<8x6xf32> -> tensor<5x6xf32> loc("block/MatMul")
    %1 = froe.add %0, %half : tensor<5x6xf32> loc("block/Add")
    %2 = froe.softmax %1 dim 1 : tensor<5x6xf32> loc("block/Softmax:=%\22 \C3\A9")
    return %2 : tensor<5x6xf32>
  }
}

// Four layers that are alike.
func.func @main(%x: tensor<32x64xf32> {froe.name = "x"}) -> (tensor<32x64xf32> {froe.name = "y"}) {
  %w0 = froe.weight "w0" in "w.bin" [0 : 16384] : tensor<64x64xf32> loc("w0")
  %p0 = froe.contract "bi,ih->bh" %x, %w0 : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32> loc("layer0/product")
  %s0 = froe.softmax %p0 dim 1 : tensor<32x64xf32> loc("layer0/softmax")
  %w1 = froe.weight "w1" in "w.bin" [16384 : 16384] : tensor<64x64xf32> loc("w1")
  %p1 = froe.contract "bi,ih->bh" %s0, %w1 : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32> loc("layer1/product")
  %s1 = froe.softmax %p1 dim 1 : tensor<32x64xf32> loc("layer1/softmax")
  %w2 = froe.weight "w2" in "w.bin" [32768 : 16384] : tensor<64x64xf32> loc("w2")
  %p2 = froe.contract "bi,ih->bh" %s1, %w2 : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32> loc("layer2/product")
  %s2 = froe.softmax %p2 dim 1 : tensor<32x64xf32> loc("layer2/softmax")
  %w3 = froe.weight "w3" in "w.bin" [49152 : 16384] : tensor<64x64xf32> loc("w3")
  %p3 = froe.contract "bi,ih->bh" %s2, %w3 : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32> loc("layer3/product")
  %s3 = froe.softmax %p3 dim 1 : tensor<32x64xf32> loc("layer3/softmax")
  return %s3 : tensor<32x64xf32>
}

// Two layers as in a transformer: what tensor parallelism is for.
func.func @main(%x: tensor<4x64xf32> {froe.name = "x"}) -> (tensor<4x64xf32> {froe.name = "y"}) {
  %w = froe.weight "w" in "w.bin" [0 : 65536] : tensor<64x256xf32> loc("w")
  %v = froe.weight "v" in "w.bin" [65536 : 65536] : tensor<256x64xf32> loc("v")
  %0 = froe.contract "bi,ih->bh" %x, %w : tensor<4x64xf32>, tensor<64x256xf32> -> tensor<4x256xf32> loc("up")
  %1 = froe.gelu erf %0 : tensor<4x256xf32> loc("gelu")
  %2 = froe.contract "bh,ho->bo" %1, %v : tensor<4x256xf32>, tensor<256x64xf32> -> tensor<4x64xf32> loc("down")
  return %2 : tensor<4x64xf32>
}

// A whole program without weights, for examples that need no other file.
func.func @main(%q: tensor<4x6x8xf32> {froe.name = "query"}, %k: tensor<4x6x8xf32> {froe.name = "key"})
    -> (tensor<4x6x6xf32> {froe.name = "probabilities"}) {
  %0 = froe.contract "hqd,hkd->hqk" %q, %k : tensor<4x6x8xf32>, tensor<4x6x8xf32> -> tensor<4x6x6xf32> loc("scores")
  %1 = froe.softmax %0 dim 2 : tensor<4x6x6xf32> loc("softmax")
  return %1 : tensor<4x6x6xf32>
}

// Outputs without an op of their own, empty tensors, and an index that may lie outside.
func.func @main(%x: tensor<4x8xf32> {froe.name = "x"}, %none: tensor<0x8xf32> {froe.name = "none"}, %i: tensor<6xi64> {froe.name = "i"})
    -> (tensor<4x8xf32> {froe.name = "input"}, tensor<2xi64> {froe.name = "constant"}, tensor<4x8xf32> {froe.name = "relu"}, tensor<4x8xf32> {froe.name = "again"},
        tensor<0x8xf32> {froe.name = "empty"}, tensor<8xf32> {froe.name = "zeros"}, tensor<6x8xf32> {froe.name = "rows"}) {
  %constant = froe.constant dense<[3, 4]> : tensor<2xi64>
  %relu = froe.relu %x : tensor<4x8xf32>
  %empty = froe.relu %none : tensor<0x8xf32>
  %zeros = froe.reduce sum %none dims [0] : tensor<0x8xf32> -> tensor<8xf32>
  %rows = froe.gather %x, %i dim 0 : tensor<4x8xf32>, tensor<6xi64> -> tensor<6x8xf32> loc("lookup")
  return %x, %constant, %relu, %relu, %empty, %zeros, %rows
    : tensor<4x8xf32>, tensor<2xi64>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>, tensor<8xf32>, tensor<6x8xf32>
}

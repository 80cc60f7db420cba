// RUN: froe-opt %s --assign-arena --split-input-file --verify-diagnostics

func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  // expected-error@+1 {{expected a step in @main, found 'froe.relu'}}
  %1 = froe.relu %x : tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

func.func @main() -> tensor<32xf32> {
  %w = froe.weight "w" in "w.bin" [0 : 128] : tensor<32xf32>
  // expected-error@+1 {{expected outputs in the arena, found a weight or constant}}
  return %w : tensor<32xf32>
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @main() -> tensor<64xf32> {
  %w = froe.weight "w" in "w.bin" [0 : 128] : tensor<32xf32>
  // expected-error@+1 {{expected a value in the arena, found a weight or constant as operand of a collective}}
  %1 = rank.all_gather %w over ["x"] dim 0 : tensor<32xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

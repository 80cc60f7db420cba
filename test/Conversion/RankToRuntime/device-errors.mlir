// RUN: froe-opt %s --rank-to-runtime --verify-diagnostics
module attributes {froe.target = "cuda:sm_80"} {
  func.func private @relu_0(tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%x: tensor<4xf32> {froe.name = "x", rank.offset = 0 : i64}) -> (tensor<4xf32> {froe.name = "y"}) attributes {rank.arena_bytes = 128 : i64} {
    // expected-error @below {{expected kernel 'relu_0' in gpu.binary @kernels}}
    %1 = rank.launch @relu_0(%x) {rank.offsets = array<i64: 64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// RUN: froe-opt %s --partition --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a plan: a module with a froe.mesh and a function @main}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}]>}) {
    // expected-error@+1 {{expected a plan: a sharding for each operand}}
    %0 = froe.neg %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

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
  // expected-error@+1 {{expected a plan: a sharding for each operand, result and argument}}
  func.func @main(%x: tensor<4xf32>) {
    return
  }
}

// -----

module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}]>}) {
    // expected-error@+1 {{expected a plan: 'froe.in' with 1 shardings}}
    %0 = froe.neg %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module {
  froe.mesh @mesh ["x" = 2]
  // expected-error@+1 {{mesh 'mesh' has no axis 'y'}}
  func.func @main(%x: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{"y"}]>}) {
    return
  }
}

// -----

// The activation of a partial sum is none of the sum.
module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4x6xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6xf32> {froe.sharding = #froe.sharding<@mesh, [{}]>}) {
    %0 = froe.reduce sum %x dims [0] {froe.in = [#froe.sharding<@mesh, [{"x"}, {}]>], froe.out = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>]} : tensor<4x6xf32> -> tensor<6xf32>
    // expected-error@+1 {{shardings ([{}], partial<sum>{"x"}) -> ([{}], partial<sum>{"x"}) are no strategy of rule (d0) -> (d0)}}
    %1 = froe.relu %0 {froe.in = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>], froe.out = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>]} : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}

// -----

// A replicated term would be added once by each rank.
module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4x6xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<6xf32> {froe.sharding = #froe.sharding<@mesh, [{}]>})
      -> (tensor<6xf32> {froe.sharding = #froe.sharding<@mesh, [{}]>}) {
    %0 = froe.reduce sum %x dims [0] {froe.in = [#froe.sharding<@mesh, [{"x"}, {}]>], froe.out = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>]} : tensor<4x6xf32> -> tensor<6xf32>
    // expected-error@+1 {{are no strategy of rule (d0), (d0) -> (d0) | partial 0 1: sum}}
    %1 = froe.add %0, %b {froe.in = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>, #froe.sharding<@mesh, [{}]>], froe.out = [#froe.sharding<@mesh, [{}], partial<sum>{"x"}>]} : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}

// -----

// A softmax needs whole rows.
module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4x6xf32> {froe.sharding = #froe.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4x6xf32> {froe.sharding = #froe.sharding<@mesh, [{}, {"x"}]>}) {
    // expected-error@+1 {{are no strategy of rule (d0, d1) -> (d0, d1) | d1: whole}}
    %0 = froe.softmax %x dim 1 {froe.in = [#froe.sharding<@mesh, [{}, {"x"}]>], froe.out = [#froe.sharding<@mesh, [{}, {"x"}]>]} : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}

// -----

module {
  froe.mesh @mesh ["x" = 2]
  func.func @main(%x: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{}]>}) {
    // expected-error@+1 {{expected an op that can be sharded, found 'rank.view'}}
    %0 = rank.view %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

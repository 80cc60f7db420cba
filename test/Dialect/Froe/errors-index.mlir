// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @gather_shape(%a: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{expected a result of shape [3, 8], found 'tensor<4x8xf32>'}}
  %0 = froe.gather %a, %i dim 0 : tensor<4x8xf32>, tensor<3xi64> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_index_type(%a: tensor<4x8xf32>, %i: tensor<3xf32>) {
  // expected-error @below {{expected i32 or i64 indices, found 'tensor<3xf32>'}}
  %0 = froe.gather %a, %i dim 0 : tensor<4x8xf32>, tensor<3xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_nd_tuples(%a: tensor<4x8xf32>, %i: tensor<5x3xi64>) {
  // expected-error @below {{expected tuples of at most 2 indices, found 3}}
  %0 = froe.gather_nd %a, %i batch_dims 0 : tensor<4x8xf32>, tensor<5x3xi64> -> tensor<5xf32>
  return
}

// -----

func.func @gather_dim(%a: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{expected a dim below 2, found 2}}
  %0 = froe.gather %a, %i dim 2 : tensor<4x8xf32>, tensor<3xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_nd_batch(%a: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{expected 'tensor<4x8xf32>' and 'tensor<3x1xi64>' to share 1 batch dims}}
  %0 = froe.gather_nd %a, %i batch_dims 1 : tensor<4x8xf32>, tensor<3x1xi64> -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_batch_of_tuples(%a: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{to share 1 batch dims}}
  %0 = froe.gather_nd %a, %i batch_dims 1 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

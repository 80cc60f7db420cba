// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @reduce_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of shape [4], found 'tensor<8xf32>'}}
  %0 = froe.reduce sum %a dims [1] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_dims(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected ascending dims, found [1, 0]}}
  %0 = froe.reduce sum %a dims [1, 0] : tensor<4x8xf32> -> tensor<f32>
  return
}

// -----

func.func @softmax_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a dim below 2, found 2}}
  %0 = froe.softmax %a dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @softmax_type(%a: tensor<4x8xi64>) {
  // expected-error @below {{expected floats, found 'tensor<4x8xi64>'}}
  %0 = froe.softmax %a dim 1 : tensor<4x8xi64>
  return
}

// -----

func.func @normalize_scale(%a: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{expected scale and bias of shape [8], found 'tensor<4xf32>'}}
  %0 = froe.normalize layer %a from 1 scale(%s : tensor<4xf32>) epsilon 1.0e-05 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_bias(%a: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @below {{rms normalisation takes no bias}}
  %0 = froe.normalize rms %a from 1 bias(%s : tensor<8xf32>) epsilon 1.0e-05 : tensor<4x8xf32>
  return
}

// -----

func.func @reduce_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected dims below 2, found 2}}
  %0 = froe.reduce sum %a dims [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @normalize_type(%a: tensor<4x8xi64>) {
  // expected-error @below {{expected floats, found 'tensor<4x8xi64>'}}
  %0 = froe.normalize layer %a from 1 epsilon 1.0e-05 : tensor<4x8xi64>
  return
}

// -----

func.func @normalize_first(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a first dim below 2, found 2}}
  %0 = froe.normalize layer %a from 2 epsilon 1.0e-05 : tensor<4x8xf32>
  return
}

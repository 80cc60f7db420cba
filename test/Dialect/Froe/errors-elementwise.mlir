// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @compare_result(%a: tensor<4xf32>) {
  // expected-error @below {{expected boolean result, found 'tensor<4xf32>'}}
  %0 = froe.compare less %a, %a : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>) {
  // expected-error @below {{statically shaped tensor of float, integer or boolean elements}}
  %0 = froe.abs %a : tensor<?xf32>
  return
}

// -----

func.func @is_nan_result(%a: tensor<4xf32>) {
  // expected-error @below {{expected boolean result, found 'tensor<4xi8>'}}
  %0 = froe.is_nan %a : tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @select_condition(%a: tensor<4xf32>) {
  // expected-error @below {{expected boolean condition, found 'tensor<4xf32>'}}
  %0 = froe.select %a, %a, %a : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @exp_of_integers(%a: tensor<4xi64>) {
  // expected-error @below {{must be statically shaped tensor of floats}}
  %0 = froe.exp %a : tensor<4xi64>
  return
}

// -----

func.func @gelu_of_integers(%a: tensor<4xi64>) {
  // expected-error @below {{must be statically shaped tensor of floats}}
  %0 = froe.gelu erf %a : tensor<4xi64>
  return
}

// -----

func.func @and_of_floats(%a: tensor<4xf32>) {
  // expected-error @below {{must be statically shaped tensor of integers or booleans}}
  %0 = froe.and %a, %a : tensor<4xf32>
  return
}

// -----

func.func @saturate_wider(%a: tensor<4xf32>) {
  // expected-error @below {{expected floats that become narrower ones to saturate, found 'tensor<4xf32>' and 'tensor<4xf64>'}}
  %0 = froe.cast saturate %a : tensor<4xf32> to tensor<4xf64>
  return
}

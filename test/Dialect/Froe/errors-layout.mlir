// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @reshape_count(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected equally many elements, found 'tensor<4x8xf32>' and 'tensor<31xf32>'}}
  %0 = froe.reshape %a : tensor<4x8xf32> -> tensor<31xf32>
  return
}

// -----

func.func @transpose_permutation(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a permutation, found [0, 0]}}
  %0 = froe.transpose %a [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected size 5 or 1 for result dim 0, found 4}}
  %0 = froe.broadcast %a dims [0, 1] : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

func.func @concat_size(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected size 16 along dim 1}}
  %0 = froe.concat %a, %a dim 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x15xf32>
  return
}

// -----

func.func @slice_outside(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected indices below 8 along dim 1, found 6 to 8}}
  %0 = froe.slice %a starts [0, 6] strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of shape [4, 10], found 'tensor<4x9xf32>'}}
  %0 = froe.pad %a low [0, 1] high [0, 1] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @permutation_count(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 dims in the permutation, found 3}}
  %0 = froe.transpose %a [0, 1, 2] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of shape [8, 4], found 'tensor<4x8xf32>'}}
  %0 = froe.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_count(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 dims, found 1}}
  %0 = froe.broadcast %a dims [0] : tensor<4x8xf32> -> tensor<4x8x2xf32>
  return
}

// -----

func.func @broadcast_order(%a: tensor<4x4xf32>) {
  // expected-error @below {{expected ascending dims, found [1, 0]}}
  %0 = froe.broadcast %a dims [1, 0] : tensor<4x4xf32> -> tensor<4x4x2xf32>
  return
}

// -----

func.func @broadcast_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected dims below 2, found 2}}
  %0 = froe.broadcast %a dims [0, 2] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @below {{expected operands}}
  %0 = "froe.concat"() {dim = 0} : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a dim below 2, found -1}}
  %0 = froe.concat %a dim -1 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @concat_rank(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected operands of the result's element type and rank, found 'tensor<4xf32>' and 'tensor<4x9xf32>'}}
  %0 = froe.concat %a, %b dim 1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @concat_outside(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) {
  // expected-error @below {{expected 'tensor<5x8xf32>' to equal 'tensor<4x16xf32>' outside dim 1}}
  %0 = froe.concat %a, %b dim 1 : tensor<4x8xf32>, tensor<5x8xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @slice_rank(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected operand and result of one rank, found 'tensor<4x8xf32>' and 'tensor<4xf32>'}}
  %0 = froe.slice %a starts [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_starts(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 starts, found 1}}
  %0 = froe.slice %a starts [0] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_strides(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 strides, found 3}}
  %0 = froe.slice %a starts [0, 0] strides [1, 1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_stride_of_zero(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected strides other than 0}}
  %0 = froe.slice %a starts [0, 0] strides [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_before(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected indices below 8 along dim 1, found 1 to -1}}
  %0 = froe.slice %a starts [0, 1] strides [1, -1] : tensor<4x8xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_low(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 low sizes, found 1}}
  %0 = froe.pad %a low [0] high [0, 1] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @pad_high(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 high sizes, found 1}}
  %0 = froe.pad %a low [0, 1] high [0] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @pad_negative(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected sizes of at least 0, found -1}}
  %0 = froe.pad %a low [0, -1] high [0, 0] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x7xf32>
  return
}

// -----

func.func @pad_value(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a value of type 'f32', found 'f64'}}
  %0 = froe.pad %a low [0, 1] high [0, 0] with 0.0 : f64 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @window_sizes(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected sizes for 1 to 2 dims, found 0}}
  %0 = froe.window %a sizes [] strides [] dilations [] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @window_strides(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 1 strides, found 2}}
  %0 = froe.window %a sizes [3] strides [1, 1] dilations [1] : tensor<4x8xf32> -> tensor<4x3x6xf32>
  return
}

// -----

func.func @window_dilations(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected 1 dilations, found 0}}
  %0 = froe.window %a sizes [3] strides [1] dilations [] : tensor<4x8xf32> -> tensor<4x3x6xf32>
  return
}

// -----

func.func @window_rank(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of rank 3, found 'tensor<4x6xf32>'}}
  %0 = froe.window %a sizes [3] strides [1] dilations [1] : tensor<4x8xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @window_zero(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected sizes, strides and dilations of at least 1, found 0}}
  %0 = froe.window %a sizes [3] strides [0] dilations [1] : tensor<4x8xf32> -> tensor<4x3x6xf32>
  return
}

// -----

func.func @window_outside(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected at least 9 elements along dim 1, found 8}}
  %0 = froe.window %a sizes [3] strides [1] dilations [1] : tensor<4x8xf32> -> tensor<4x3x7xf32>
  return
}

// -----

func.func @window_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of shape [4, 3, 6], found 'tensor<4x2x6xf32>'}}
  %0 = froe.window %a sizes [3] strides [1] dilations [1] : tensor<4x8xf32> -> tensor<4x2x6xf32>
  return
}

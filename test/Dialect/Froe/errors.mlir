// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @letters(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{expected subscripts such as "mk,kn->mn", found 'mk,kn'}}
  %0 = froe.contract "mk,kn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @letter_sizes(%a: tensor<4x8xf32>, %b: tensor<7x2xf32>) {
  // expected-error @below {{letter 'k' has size 8 and size 7}}
  %0 = froe.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<7x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @summed_alone(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{letter 'n' is summed over, but stands in one operand only}}
  %0 = froe.contract "mk,kn->m" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @unknown_letter(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{letter 'z' of the result stands in no operand}}
  %0 = froe.contract "mk,kn->mz" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @repeated_letter(%a: tensor<8x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{letter 'k' stands twice in 'kk'}}
  %0 = froe.contract "kk,kn->n" %a, %b : tensor<8x8xf32>, tensor<8x2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @letter_count(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{expected 2 letters for 'tensor<4x8xf32>', found 'bmk'}}
  %0 = froe.contract "bmk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}

// -----

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

func.func @weight_length() {
  // expected-error @below {{expected a length of 128 bytes for 'tensor<4x8xf32>', found 100}}
  %0 = froe.weight "w" in "f" [0 : 100] : tensor<4x8xf32>
  return
}

// -----

func.func @compare_result(%a: tensor<4xf32>) {
  // expected-error @below {{expected boolean result, found 'tensor<4xf32>'}}
  %0 = froe.compare less %a, %a : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>) {
  // expected-error @below {{statically shaped tensor of float, integer or boolean elements}}
  %0 = froe.exp %a : tensor<?xf32>
  return
}

// -----

// expected-error @below {{0}}
froe.mesh @mesh ["x" = 0]

// -----

// expected-error @below {{expected sum, product, max, min, and, or; found 'mean'}}
func.func @partial(%a: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{}], partial<mean>{"x"}>})

// -----

func.func @no_letter(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{expected letters in the subscripts, found 'm1'}}
  %0 = froe.contract "m1,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
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

func.func @weight_offset() {
  // expected-error @below {{expected an offset of at least 0, found -4}}
  %0 = froe.weight "w" in "f" [-4 : 128] : tensor<4x8xf32>
  return
}

// -----

func.func @weight_block() {
  // expected-error @below {{expected a length of 256 bytes for 'tensor<8x8xf32>', found 128}}
  %0 = froe.weight "w" in "f" [0 : 128] {froe.global_type = tensor<8x8xf32>} : tensor<4x8xf32>
  return
}

// -----

func.func @iota_dim() {
  // expected-error @below {{expected a dim below 2, found 2}}
  %0 = froe.iota dim 2 : tensor<4x8xi64>
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

// -----

// expected-error @below {{expected as many sizes as axes, found 1 and 2}}
"froe.mesh"() {sym_name = "mesh", axis_names = ["x", "y"], axis_sizes = array<i64: 2>} : () -> ()

// -----

// expected-error @below {{'x'}}
froe.mesh @mesh ["x" = 2, "x" = 2]

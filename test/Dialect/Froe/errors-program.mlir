// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @weight_length() {
  // expected-error @below {{expected a length of 128 bytes for 'tensor<4x8xf32>', found 100}}
  %0 = froe.weight "w" in "f" [0 : 100] : tensor<4x8xf32>
  return
}

// -----

// expected-error @below {{0}}
froe.mesh @mesh ["x" = 0]

// -----

// expected-error @below {{expected sum, product, max, min, and, or; found 'mean'}}
func.func @partial(%a: tensor<4xf32> {froe.sharding = #froe.sharding<@mesh, [{}], partial<mean>{"x"}>})

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

// expected-error @below {{expected as many sizes as axes, found 1 and 2}}
"froe.mesh"() {sym_name = "mesh", axis_names = ["x", "y"], axis_sizes = array<i64: 2>} : () -> ()

// -----

// expected-error @below {{'x'}}
froe.mesh @mesh ["x" = 2, "x" = 2]

// -----

func.func @weight_stored_length() {
  // expected-error @below {{expected a length of 128 bytes for 'tensor<4x8xbf16>', found 64}}
  %0 = froe.weight "w" in "f" [0 : 64] as f32 : tensor<4x8xbf16>
  return
}

// -----

func.func @weight_stored_type() {
  // expected-error @below {{expected elements that are stored as f32 and become f16 or bf16, found 'i32' and 'f32'}}
  %0 = froe.weight "w" in "f" [0 : 128] as i32 : tensor<4x8xf32>
  return
}

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

func.func @no_letter(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{expected letters in the subscripts, found 'm1'}}
  %0 = froe.contract "m1,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @narrow_result(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{expected a result of 'f32', or of f32 if that is wider, found 'tensor<4x2xf16>'}}
  %0 = froe.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf16>
  return
}

// -----

func.func @wide_integers(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) {
  // expected-error @below {{expected a result of 'i8', found 'tensor<4x2xi32>'}}
  %0 = froe.contract "mk,kn->mn" %a, %b : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
  return
}

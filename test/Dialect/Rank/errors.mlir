// RUN: froe-opt %s --split-input-file --verify-diagnostics

func.func @no_mesh(%a: tensor<4xf32>) {
  // expected-error @below {{expected a froe.mesh in the module}}
  %0 = rank.all_reduce sum %a over ["x"] : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @no_axis(%a: tensor<4xf32>) {
  // expected-error @below {{the mesh has no axis 'y'}}
  %0 = rank.all_reduce sum %a over ["y"] : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @axis_twice(%a: tensor<4xf32>) {
  // expected-error @below {{axis 'x' stands twice}}
  %0 = rank.all_reduce sum %a over ["x", "x"] : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @no_axes(%a: tensor<4xf32>) {
  // expected-error @below {{expected at least one axis}}
  %0 = rank.all_reduce sum %a over [] : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @lost_row(%a: tensor<4xf32>) {
  // expected-error @below {{expected blocks of shape [5] of 'tensor<9xf32>', found 'tensor<4xf32>'}}
  %0 = rank.all_gather %a over ["x"] dim 0 : tensor<4xf32> -> tensor<9xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @mask_size(%a: tensor<4xf32>) {
  // expected-error @below {{expected blocks of 5 along dim 0, found 'tensor<4xf32>'}}
  %0 = rank.mask %a over ["x"] dim 0 size 9 with 0.0 : f32 : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @same_dims(%a: tensor<4x4xf32>) {
  // expected-error @below {{expected two different dims and one rank}}
  %0 = rank.all_to_all %a over ["x"] from 0 to 0 : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @unknown_kernel(%a: tensor<4xf32>) {
  // expected-error @below {{expected a kernel 'softmax' in the module}}
  %0 = rank.launch @softmax(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @softmax(tensor<4xf32>) -> tensor<4xf32>
func.func @kernel_types(%a: tensor<5xf32>) {
  // expected-error @below {{expected the types of kernel 'softmax'}}
  %0 = rank.launch @softmax(%a) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @posts(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected an operand for #rank.post<add along "n">}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<add along "n">]() : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @post_letters(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{letter 'm' of #rank.post<add along "m"> does not fit the result}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<add along "m">](%b)
      : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @gather_dim(%a: tensor<4xf32>) {
  // expected-error @below {{expected a dim below 1, found 1}}
  %0 = rank.all_gather %a over ["x"] dim 1 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @scattered_row(%a: tensor<9x3xf32>) {
  // expected-error @below {{expected blocks of shape [5, 3] of 'tensor<9x3xf32>', found 'tensor<4x3xf32>'}}
  %0 = rank.reduce_scatter sum %a over ["x"] dim 0 : tensor<9x3xf32> -> tensor<4x3xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @sliced_row(%a: tensor<9x3xf32>) {
  // expected-error @below {{expected blocks of shape [5, 3] of 'tensor<9x3xf32>', found 'tensor<5x2xf32>'}}
  %0 = rank.slice %a over ["x"] dim 0 : tensor<9x3xf32> -> tensor<5x2xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @exchanged_row(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected blocks of shape [8, 4] of 'tensor<8x8xf32>', found 'tensor<8x5xf32>'}}
  %0 = rank.all_to_all %a over ["x"] from 0 to 1 : tensor<4x8xf32> -> tensor<8x5xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @exchanged_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected a dim below 2, found 2}}
  %0 = rank.all_to_all %a over ["x"] from 0 to 2 : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @mask_value(%a: tensor<5xf32>) {
  // expected-error @below {{expected a value of type 'f32', found 'i64'}}
  %0 = rank.mask %a over ["x"] dim 0 size 9 with 0 : i64 : tensor<5xf32>
  return
}

// -----

func.func @product_letters(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>) {
  // expected-error @below {{letter 'k' is summed over, but stands in one operand only}}
  %0 = rank.matmul "mk,jn->mn" %a, %w posts []() : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @post_without_letters(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected letters for add and mul, a value for scale, nothing otherwise; found #rank.post<add>}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<add>](%b)
      : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @post_letter_count(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected 1 letters for 'tensor<3xf32>', found #rank.post<add along "mn">}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<add along "mn">](%b)
      : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @operand_without_post(%a: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected as many operands as posts take}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<relu>](%b)
      : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @view_count(%a: tensor<4x8xf32>) {
  // expected-error @below {{expected equally many elements, found 'tensor<4x8xf32>' and 'tensor<31xf32>'}}
  %0 = rank.view %a : tensor<4x8xf32> -> tensor<31xf32>
  return
}

// -----

func.func @post_type(%a: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %b: tensor<3xbf16>) {
  // expected-error @below {{expected operands of posts of the result's element type, found 'tensor<3xbf16>'}}
  %0 = rank.matmul "mk,kn->mn" %a, %w posts [#rank.post<add along "n">](%b)
      : (tensor<4x8xbf16>, tensor<8x3xbf16>, tensor<3xbf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @wait_for_no_collective(%a: tensor<4xf32>) {
  // expected-error @below {{expected the result of a collective}}
  rank.wait %a : tensor<4xf32>
  return
}

// -----

froe.mesh @mesh ["x" = 2]
func.func @two_waits(%a: tensor<4xf32>) {
  %0 = rank.all_reduce sum %a over ["x"] : tensor<4xf32>
  // expected-error @below {{expected one wait for a collective, found 2}}
  rank.wait %0 : tensor<4xf32>
  rank.wait %0 : tensor<4xf32>
  return
}

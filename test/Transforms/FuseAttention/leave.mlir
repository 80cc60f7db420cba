// What a kernel cannot hold stays as it is.
// RUN: froe-opt %s --fuse-attention --split-input-file | FileCheck %s --implicit-check-not=rank.launch

// The probabilities have a second use.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> (tensor<9x64xf32>, tensor<9x9xf32>) {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2, %1 : tensor<9x64xf32>, tensor<9x9xf32>
}

// -----

// The scores have one.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> (tensor<9x64xf32>, tensor<9x9xf32>) {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2, %0 : tensor<9x64xf32>, tensor<9x9xf32>
}

// -----

// The softmax goes over rows.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 0 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// The second product does not sum over the softmax's dim.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "yx,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// Keys do not lie in rows.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<64x9xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,dy->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<64x9xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// Rows are too long for registers.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x136xf32>, %k: tensor<9x136xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x136xf32>, tensor<9x136xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// Rows of 12 bytes do not begin at multiples of 16.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x3xf32>, %k: tensor<9x3xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// A post that the kernel lacks; posts behind the values; f64.
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts [#rank.post<relu>]() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf32>, %k: tensor<9x64xf32>, %v: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf32>, tensor<9x64xf32>) -> tensor<9x9xf32>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf32>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts [#rank.post<relu>]() : (tensor<9x9xf32>, tensor<9x64xf32>) -> tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<9x64xf64>, %k: tensor<9x64xf64>, %v: tensor<9x64xf64>) -> tensor<9x64xf64> {
  %0 = rank.matmul "xd,yd->xy" %q, %k posts []() : (tensor<9x64xf64>, tensor<9x64xf64>) -> tensor<9x9xf64>
  %1 = froe.softmax %0 dim 1 : tensor<9x9xf64>
  %2 = rank.matmul "xy,yd->xd" %1, %v posts []() : (tensor<9x9xf64>, tensor<9x64xf64>) -> tensor<9x64xf64>
  return %2 : tensor<9x64xf64>
}

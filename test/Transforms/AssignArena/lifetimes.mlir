// Buffers share bytes only when their lives do not meet; outputs live to the end.
// RUN: froe-opt %s --assign-arena --split-input-file | FileCheck %s

// %2 may lie where %x was, which has no use behind the first step; %1 is read while %2 is written.
// CHECK: func.func @main(%arg0: tensor<32xf32> {rank.offset = 0 : i64}) -> tensor<32xf32> attributes {rank.arena_bytes = 256 : i64}
// CHECK: rank.launch @k(%arg0) {rank.offsets = array<i64: 128>}
// CHECK: rank.launch @k(%0) {rank.offsets = array<i64: 0>}
// CHECK: rank.launch @k(%1) {rank.offsets = array<i64: 128>}
func.func private @k(%x: tensor<32xf32>) -> tensor<32xf32> { return %x : tensor<32xf32> }
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.launch @k(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = rank.launch @k(%2) : (tensor<32xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

// A view keeps its operand alive; an output is never overwritten; three buffers of 128 bytes are needed.
// CHECK: rank.arena_bytes = 384 : i64
// CHECK: rank.launch @k(%arg0) {rank.offsets = array<i64: [[OUT:[0-9]+]]>}
// CHECK-NOT: array<i64: [[OUT]]>
func.func private @k(%x: tensor<32xf32>) -> tensor<32xf32> { return %x : tensor<32xf32> }
func.func @main(%x: tensor<32xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %view = rank.view %1 : tensor<32xf32> -> tensor<4x8xf32>
  %2 = rank.launch @k(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = rank.launch @k(%2) : (tensor<32xf32>) -> tensor<32xf32>
  return %view, %3 : tensor<4x8xf32>, tensor<32xf32>
}

// -----

// An all-reduce overwrites an operand that ends there, not one that is read again.
// CHECK: rank.launch @k(%arg0) {rank.offsets = array<i64: [[A:[0-9]+]]>}
// CHECK: rank.all_reduce sum %0 over ["x"] {rank.offsets = array<i64: [[A]]>}
// CHECK: rank.all_reduce sum %1 over ["x"] {rank.offsets = array<i64: [[B:[0-9]+]]>}
// CHECK-NOT: array<i64: [[A]]>
froe.mesh @mesh ["x" = 2]
func.func private @k(%x: tensor<32xf32>) -> tensor<32xf32> { return %x : tensor<32xf32> }
func.func @main(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.all_reduce sum %1 over ["x"] : tensor<32xf32>
  %3 = rank.all_reduce sum %2 over ["x"] : tensor<32xf32>
  return %2, %3 : tensor<32xf32>, tensor<32xf32>
}

// -----

// A collective reads its operand until it is waited for: neither another buffer nor an operation in place may take its bytes before.
// CHECK: rank.arena_bytes = 640 : i64
froe.mesh @mesh ["x" = 2]
func.func private @k(%x: tensor<32xf32>) -> tensor<32xf32> { return %x : tensor<32xf32> }
func.func @main(%x: tensor<32xf32>) -> (tensor<64xf32>, tensor<32xf32>) {
  %1 = rank.all_gather %x over ["x"] dim 0 : tensor<32xf32> -> tensor<64xf32>
  %2 = rank.mask %x over ["x"] dim 0 size 63 with 0.0 : f32 : tensor<32xf32>
  %3 = rank.launch @k(%2) : (tensor<32xf32>) -> tensor<32xf32>
  rank.wait %1 : tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<32xf32>
}

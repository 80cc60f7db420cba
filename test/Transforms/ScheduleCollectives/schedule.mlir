// Collectives start as early, and are waited for as late, as their operands, their order and the arena allow.
// RUN: froe-opt %s --schedule-collectives --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[A:.*]] = rank.launch @k(%arg0)
// CHECK-NEXT:    %[[SUM:.*]] = rank.all_reduce sum %[[A]]
// CHECK-NEXT:    %[[B:.*]] = rank.launch @k(%arg1)
// CHECK-NEXT:    %[[VIEW:.*]] = rank.view %[[SUM]]
// CHECK-NEXT:    %[[C:.*]] = rank.launch @k(%[[B]])
// CHECK-NEXT:    rank.wait %[[SUM]]
// CHECK-NEXT:    rank.launch @join(%[[C]], %[[VIEW]])
// CHECK-NEXT:    return
froe.mesh @mesh ["x" = 2]
func.func private @k(tensor<32xf32>) -> tensor<32xf32>
func.func private @join(tensor<32xf32>, tensor<4x8xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.launch @k(%y) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = rank.all_reduce sum %1 over ["x"] : tensor<32xf32>
  %view = rank.view %3 : tensor<32xf32> -> tensor<4x8xf32>
  %4 = rank.launch @k(%2) : (tensor<32xf32>) -> tensor<32xf32>
  %5 = rank.launch @join(%4, %view) : (tensor<32xf32>, tensor<4x8xf32>) -> tensor<32xf32>
  return %5 : tensor<32xf32>
}

// -----

// Nothing can go on beside them: they are complete at once.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     rank.wait
froe.mesh @mesh ["x" = 2]
func.func private @k(tensor<32xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.all_reduce sum %1 over ["x"] : tensor<32xf32>
  %3 = rank.launch @k(%2) : (tensor<32xf32>) -> tensor<32xf32>
  %4 = rank.all_reduce max %3 over ["x"] : tensor<32xf32>
  return %4 : tensor<32xf32>
}

// -----

// The gathered weight is larger than all that is alive before: it is gathered where it is needed. While the one that follows is small.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    froe.weight "large"
// CHECK-NEXT:    froe.weight "small"
// CHECK-NEXT:    rank.launch @small
// CHECK-NEXT:    %[[SMALL:.*]] = rank.all_gather
// CHECK-NEXT:    %[[A:.*]] = rank.launch @k(%arg0)
// CHECK-NEXT:    rank.wait %[[SMALL]]
// CHECK-NEXT:    %[[B:.*]] = rank.launch @use(%[[A]], %[[SMALL]])
// CHECK-NEXT:    rank.launch @large
// CHECK-NEXT:    %[[LARGE:.*]] = rank.all_gather
// CHECK-NEXT:    rank.launch @use_large(%[[B]], %[[LARGE]])
froe.mesh @mesh ["x" = 2]
func.func private @k(tensor<32xf32>) -> tensor<32xf32>
func.func private @small(tensor<16xf32>) -> tensor<16xf32>
func.func private @large(tensor<128xf32>) -> tensor<128xf32>
func.func private @use(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
func.func private @use_large(tensor<32xf32>, tensor<256xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %large = froe.weight "large" in "w.bin" [0 : 512] : tensor<128xf32>
  %small = froe.weight "small" in "w.bin" [512 : 64] : tensor<16xf32>
  %1 = rank.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.launch @small(%small) : (tensor<16xf32>) -> tensor<16xf32>
  %3 = rank.all_gather %2 over ["x"] dim 0 : tensor<16xf32> -> tensor<32xf32>
  %4 = rank.launch @use(%1, %3) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %5 = rank.launch @large(%large) : (tensor<128xf32>) -> tensor<128xf32>
  %6 = rank.all_gather %5 over ["x"] dim 0 : tensor<128xf32> -> tensor<256xf32>
  %7 = rank.launch @use_large(%4, %6) : (tensor<32xf32>, tensor<256xf32>) -> tensor<32xf32>
  return %7 : tensor<32xf32>
}

// -----

// Collectives keep their order, in which all ranks call them.
// CHECK-LABEL: func.func @main
// CHECK:         rank.all_reduce sum
// CHECK-NEXT:    rank.all_reduce max
// CHECK-NEXT:    rank.launch @k(%arg2)
// CHECK-NEXT:    rank.wait
// CHECK-NEXT:    rank.wait
// CHECK-NEXT:    rank.launch @join
froe.mesh @mesh ["x" = 2]
func.func private @k(tensor<32xf32>) -> tensor<32xf32>
func.func private @join(tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<32xf32>, %y: tensor<32xf32>, %z: tensor<32xf32>) -> tensor<32xf32> {
  %1 = rank.launch @k(%z) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = rank.all_reduce sum %x over ["x"] : tensor<32xf32>
  %3 = rank.all_reduce max %y over ["x"] : tensor<32xf32>
  %4 = rank.launch @join(%1, %2, %3) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return %4 : tensor<32xf32>
}

// Transposes through tiles: whole ones, ragged ones with two operands of which one is narrow, and tiles that are not square.
module {
  func.func private @t0(%a: tensor<2x64x128xf32>) -> tensor<2x128x64xf32> attributes {rank.domain = array<i64: 2, 128, 64>, rank.row = 1, rank.extent = 256, rank.grain = 12} {
    %0 = froe.transpose %a [0, 2, 1] : tensor<2x64x128xf32> -> tensor<2x128x64xf32>
    return %0 : tensor<2x128x64xf32>
  }
  func.func private @t1(%a: tensor<45x51xf32>, %b: tensor<51x45xf32>, %c: tensor<45x51xf16>) -> (tensor<51x45xf32>, tensor<51x45xf32>) attributes {rank.domain = array<i64: 51, 45>, rank.row = 1, rank.extent = 51, rank.grain = 12} {
    %0 = froe.transpose %a [1, 0] : tensor<45x51xf32> -> tensor<51x45xf32>
    %1 = froe.cast %c : tensor<45x51xf16> to tensor<45x51xf32>
    %2 = froe.transpose %1 [1, 0] : tensor<45x51xf32> -> tensor<51x45xf32>
    %3 = froe.add %0, %b : tensor<51x45xf32>
    %4 = froe.mul %3, %2 : tensor<51x45xf32>
    return %3, %4 : tensor<51x45xf32>, tensor<51x45xf32>
  }
  func.func private @t2(%a: tensor<9x3x33xi64>) -> tensor<33x3x9xi64> attributes {rank.domain = array<i64: 33, 3, 9>, rank.row = 1, rank.extent = 99, rank.grain = 12} {
    %0 = froe.transpose %a [2, 1, 0] : tensor<9x3x33xi64> -> tensor<33x3x9xi64>
    return %0 : tensor<33x3x9xi64>
  }
}

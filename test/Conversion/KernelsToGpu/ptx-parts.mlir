// Where the innermost dim has parts, what these begin with alike is not torn out of their vectors: all accesses have 16 bytes.
// RUN: bench-kernels --check %s | FileCheck %s
// CHECK: rotary{{ +}}sm_80{{.*}} 6/6
// CHECK: rotary{{ +}}sm_90{{.*}} 6/6

module attributes {froe.phase = "kernels"} {
  func.func private @rotary(%cos: tensor<64x64xbf16>, %sin: tensor<64x64xbf16>, %x: tensor<24x64x64xbf16>) -> tensor<24x64x64xbf16>
      attributes {rank.domain = array<i64: 24, 64, 64>, rank.row = 1, rank.extent = 1536, rank.grain = 256} {
    %0 = froe.broadcast %cos dims [1, 2] : tensor<64x64xbf16> -> tensor<24x64x64xbf16>
    %1 = froe.broadcast %sin dims [1, 2] : tensor<64x64xbf16> -> tensor<24x64x64xbf16>
    %2 = froe.mul %x, %0 : tensor<24x64x64xbf16>
    %3 = froe.slice %x starts [0, 0, 0] strides [1, 1, 1] : tensor<24x64x64xbf16> -> tensor<24x64x32xbf16>
    %4 = froe.slice %x starts [0, 0, 32] strides [1, 1, 1] : tensor<24x64x64xbf16> -> tensor<24x64x32xbf16>
    %5 = froe.neg %4 : tensor<24x64x32xbf16>
    %6 = froe.concat %5, %3 dim 2 : tensor<24x64x32xbf16>, tensor<24x64x32xbf16> -> tensor<24x64x64xbf16>
    %7 = froe.mul %6, %1 : tensor<24x64x64xbf16>
    %8 = froe.add %2, %7 : tensor<24x64x64xbf16>
    return %8 : tensor<24x64x64xbf16>
  }
}

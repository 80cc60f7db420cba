// 16-byte accesses, shuffles and products of tensor cores reach the PTX; nothing is called.
// RUN: bench-kernels --arch=sm_80 --ptx %s | FileCheck %s
// RUN: bench-kernels --check %s | FileCheck %s --check-prefix=TABLE

module attributes {froe.phase = "kernels"} {
  // CHECK-LABEL: .entry gelu
  // CHECK:         .maxntid 256
  // CHECK:         ld.global.nc.v4.b32
  // CHECK-NOT:     call
  // CHECK:         st.global.v4.b32
  // TABLE: gelu{{.*}}sm_80{{.*}}2/2
  func.func private @gelu(%a: tensor<64x768xf32>) -> tensor<64x768xf32>
      attributes {rank.domain = array<i64: 64, 768>, rank.row = 1, rank.extent = 64, rank.grain = 12} {
    %0 = froe.gelu erf %a : tensor<64x768xf32>
    return %0 : tensor<64x768xf32>
  }
  // CHECK-LABEL: .entry halves
  // CHECK:         ld.global.nc.v4.b32
  // CHECK:         shfl.sync.bfly
  // CHECK-NOT:     bar.sync
  // CHECK:         st.global.v4.b32
  // CHECK:         ret
  func.func private @halves(%a: tensor<9000x128xbf16>) -> tensor<9000x128xbf16>
      attributes {rank.domain = array<i64: 9000, 128>, rank.row = 1, rank.extent = 9000, rank.grain = 12} {
    %0 = froe.softmax %a dim 1 : tensor<9000x128xbf16>
    return %0 : tensor<9000x128xbf16>
  }
  // CHECK-LABEL: .entry attention
  // CHECK-NOT:     call
  // CHECK:         ld.global.nc.v4.b32
  // CHECK:         st.shared.v4.b32
  // CHECK:         mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
  // CHECK:         shfl.sync.bfly
  // CHECK:         ret
  func.func private @attention(%q: tensor<8x100x64xbf16>, %k: tensor<8x100x64xbf16>, %v: tensor<8x100x64xbf16>) -> tensor<8x100x64xbf16>
      attributes {rank.domain = array<i64: 8, 100, 64>, rank.row = 3, rank.extent = 800, rank.grain = 1} {
    %0 = rank.matmul "bxd,byd->bxy" %q, %k posts [#rank.post<scale by 1.250000e-01 : f32>]() : (tensor<8x100x64xbf16>, tensor<8x100x64xbf16>) -> tensor<8x100x100xbf16>
    %1 = froe.softmax %0 dim 2 : tensor<8x100x100xbf16>
    %2 = rank.matmul "bxy,byd->bxd" %1, %v posts []() : (tensor<8x100x100xbf16>, tensor<8x100x64xbf16>) -> tensor<8x100x64xbf16>
    return %2 : tensor<8x100x64xbf16>
  }
}

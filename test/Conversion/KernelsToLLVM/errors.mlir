// RUN: froe-opt --lower-kernels --verify-diagnostics %s

// expected-error @below {{expected attributes 'rank.domain' and 'rank.row'}}
func.func private @relu_0(%a: tensor<12xf32>) -> tensor<12xf32> attributes {rank.extent = 12, rank.grain = 12} {
  %0 = froe.relu %a : tensor<12xf32>
  return %0 : tensor<12xf32>
}

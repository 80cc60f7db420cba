#pragma once

#include "froe_rt.h"
#include "runtime/cpu/Isa.h"

#include <cstdint>
#include <expected>
#include <string>

namespace froe::cpu {

/// How the right operand of a matrix product lies in a package.
///
/// The tag is stored beside the weight (safetensors metadata, key "packing." + weight name) and says all that is needed
/// to read the bytes back, on any machine:
///
///   "plain"            [batch][k][n], dense
///   "panel<P>"         [batch][ceil(n/P)][ceil(k/16)*16][P], zero behind k and n
///   "panel<P>x2"       [batch][ceil(n/P)][ceil(k/32)*16][P][2]: pairs of neighbours along k, for dot-product
///   instructions
///
/// Batch dims that b broadcasts (stride 0) are stored once. A weight without a tag is plain.
struct Packing {
  std::string tag = "plain";
  uint64_t bytes = 0;
};

/// The packing that is fastest for `matmul`, whose b is a weight, on this machine; where `target` is another
/// instruction set than this machine's, the one that our own kernels read there. Does not depend on the number of
/// threads.
Packing choosePacking(const froe_matmul &matmul, Isa target = isa());

/// The packing named `tag` for this product, with its size; an error if no such packing exists.
std::expected<Packing, std::string> packingFromTag(const froe_matmul &matmul, const std::string &tag);

/// Writes `packing.bytes` bytes to `packed`. `plain` is read with b's strides.
void packWeight(const froe_matmul &matmul, const Packing &packing, const void *plain, void *packed);

/// From one packing to another; not with b's strides.
void repackWeight(const froe_matmul &matmul, const Packing &from, const void *stored, const Packing &to, void *packed);

/// The inverse of `packWeight`: writes b's elements to `plain`, with b's strides.
void unpackWeight(const froe_matmul &matmul, const Packing &packing, const void *packed, void *plain);

} // namespace froe::cpu

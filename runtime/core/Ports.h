// Between global tensors and this rank's blocks of them.
#pragma once

#include "froe_rt.h"
#include "runtime/core/Mesh.h"

#include <cstddef>
#include <cstdint>

namespace froe::rt {

/// Bytes of the whole tensor.
uint64_t globalBytes(const froe_port &port);

/// Bytes of a rank's block, padding included; the same for all ranks.
uint64_t blockBytes(const froe_port &port, const Mesh &mesh);

/// Copies this rank's block of `global` into `block`; what lies behind the tensor's end becomes zero.
void loadBlock(const froe_port &port, const Mesh &mesh, int rank, const std::byte *global, std::byte *block);

/// Copies the valid part of `block` into `global`, if this rank is the one that writes it: the first of those that hold
/// copies.
void storeBlock(const froe_port &port, const Mesh &mesh, int rank, const std::byte *block, std::byte *global);

} // namespace froe::rt

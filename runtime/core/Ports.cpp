#include "runtime/core/Ports.h"

#include "runtime/core/ElementType.h"

#include <cstring>
#include <vector>

namespace froe::rt {

namespace {

/// One dim of a port.
struct Dim {
  Part part;
  int64_t globalStride, blockStride; // bytes
};

std::vector<Dim> dimsOf(const froe_port &port, const Mesh &mesh, int rank) {
  std::vector<Dim> dims(size_t(port.rank));
  int64_t globalStride = elementType(port.type).bytes, blockStride = globalStride;
  for (int d = port.rank; d-- > 0;) {
    Part part = partOf(port.shape[d], mesh.blocks(port.cuts[d]), mesh.block(rank, port.cuts[d]));
    dims[size_t(d)] = {part, globalStride, blockStride};
    globalStride *= port.shape[d];
    blockStride *= part.block;
  }
  return dims;
}

/// The outermost dim inside of which everything is contiguous, in the tensor as in the block.
size_t firstContiguous(const std::vector<Dim> &dims) {
  size_t first = dims.size();
  while (first > 0 && dims[first - 1].globalStride == dims[first - 1].blockStride)
    --first;
  return first;
}

/// Calls `copy(globalOffset, blockOffset, bytes)` for every contiguous run of the valid part.
template <typename Copy>
void forEachRun(const std::vector<Dim> &dims, size_t d, size_t contiguous, int64_t elementBytes, int64_t global,
                int64_t block, const Copy &copy) {
  if (d == dims.size())
    return copy(global, block, elementBytes);
  const Dim &dim = dims[d];
  global += dim.part.begin * dim.globalStride;
  if (d == contiguous)
    return copy(global, block, dim.part.valid * dim.globalStride);
  for (int64_t i = 0; i < dim.part.valid; ++i)
    forEachRun(dims, d + 1, contiguous, elementBytes, global + i * dim.globalStride, block + i * dim.blockStride, copy);
}

/// The outermost dim of a contiguous run may itself be cut; the dims inside it are whole: equal strides say so, except
/// of a dim of 1 that another rank holds.
template <typename Copy> void forEachRun(const froe_port &port, const std::vector<Dim> &dims, const Copy &copy) {
  for (const Dim &dim : dims)
    if (dim.part.valid == 0)
      return;
  size_t first = firstContiguous(dims);
  forEachRun(dims, 0, first, elementType(port.type).bytes, 0, 0, copy);
}

bool holdsPadding(const std::vector<Dim> &dims) {
  for (const Dim &dim : dims)
    if (dim.part.valid != dim.part.block)
      return true;
  return false;
}

bool isFirstCopy(const froe_port &port, const Mesh &mesh, int rank) {
  uint32_t unused = mesh.allAxes();
  for (int d = 0; d < port.rank; ++d)
    for (int i = 0; i < port.cuts[d].count; ++i)
      unused &= ~(1u << port.cuts[d].axes[i]);
  for (int axis = 0; unused >> axis; ++axis)
    if ((unused >> axis & 1) && mesh.coordinate(rank, axis) != 0)
      return false;
  return true;
}

} // namespace

uint64_t blockBytes(const froe_port &port, const Mesh &mesh) {
  int64_t bytes = elementType(port.type).bytes;
  for (int d = 0; d < port.rank; ++d)
    bytes *= partOf(port.shape[d], mesh.blocks(port.cuts[d]), 0).block;
  return uint64_t(bytes);
}

uint64_t globalBytes(const froe_port &port) {
  uint64_t bytes = uint64_t(elementType(port.type).bytes);
  for (int d = 0; d < port.rank; ++d)
    bytes *= uint64_t(port.shape[d]);
  return bytes;
}

void loadBlock(const froe_port &port, const Mesh &mesh, int rank, const std::byte *global, std::byte *block) {
  std::vector<Dim> dims = dimsOf(port, mesh, rank);
  if (holdsPadding(dims))
    std::memset(block, 0, size_t(dims[0].part.block * dims[0].blockStride));
  forEachRun(port, dims,
             [&](int64_t from, int64_t to, int64_t bytes) { std::memcpy(block + to, global + from, size_t(bytes)); });
}

void storeBlock(const froe_port &port, const Mesh &mesh, int rank, const std::byte *block, std::byte *global) {
  if (!isFirstCopy(port, mesh, rank))
    return;
  forEachRun(port, dimsOf(port, mesh, rank),
             [&](int64_t to, int64_t from, int64_t bytes) { std::memcpy(global + to, block + from, size_t(bytes)); });
}

} // namespace froe::rt

#include "runtime/core/Mesh.h"

#include <algorithm>

namespace froe::rt {

Mesh::Mesh(const froe_program &program)
    : sizes(program.mesh, program.mesh + program.mesh_rank), strides(sizes.size(), 1) {
  for (size_t axis = sizes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * sizes[axis];
}

int Mesh::size() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return int(product);
}

int64_t Mesh::coordinate(int rank, int axis) const { return rank / strides[size_t(axis)] % sizes[size_t(axis)]; }

int64_t Mesh::blocks(const froe_axes &axes) const {
  int64_t product = 1;
  for (int i = 0; i < axes.count; ++i)
    product *= sizes[size_t(axes.axes[i])];
  return product;
}

int64_t Mesh::block(int rank, const froe_axes &axes) const {
  int64_t index = 0;
  for (int i = 0; i < axes.count; ++i)
    index = index * sizes[size_t(axes.axes[i])] + coordinate(rank, axes.axes[i]);
  return index;
}

bool Mesh::valid(const froe_axes &axes) const {
  uint32_t seen = 0;
  for (int i = 0; i < axes.count; ++i) {
    if (i >= FROE_MAX_AXES || axes.axes[i] < 0 || size_t(axes.axes[i]) >= sizes.size() || (seen >> axes.axes[i] & 1))
      return false;
    seen |= 1u << axes.axes[i];
  }
  return axes.count >= 0;
}

Group Mesh::group(int rank, const froe_axes &axes) const {
  Group group;
  int64_t base = rank;
  for (int i = 0; i < axes.count; ++i) {
    base -= coordinate(rank, axes.axes[i]) * strides[size_t(axes.axes[i])];
    group.axes |= 1u << axes.axes[i];
  }
  for (int64_t position = 0; position < blocks(axes); ++position) {
    int64_t member = base, rest = position;
    for (int i = axes.count; i-- > 0;) {
      int64_t size = sizes[size_t(axes.axes[i])];
      member += rest % size * strides[size_t(axes.axes[i])];
      rest /= size;
    }
    group.members.push_back(int(member));
  }
  group.ordered = group.members;
  std::ranges::sort(group.ordered);
  group.position = int(block(rank, axes));
  group.order = int(std::ranges::find(group.ordered, rank) - group.ordered.begin());
  return group;
}

Part partOf(int64_t size, int64_t blocks, int64_t index) {
  int64_t block = (size + blocks - 1) / blocks;
  int64_t begin = std::min(index * block, size);
  return {block, begin, std::min(block, size - begin)};
}

} // namespace froe::rt

// Ranks arranged in a mesh, and the groups that collectives join.
#pragma once

#include "froe_rt.h"

#include <cstdint>
#include <vector>

namespace froe::rt {

/// A collective's ranks, as one of them sees it.
struct Group {
  std::vector<int> members; // by position: the combined index along the axes, the first axis being the major one
  std::vector<int> ordered; // the same ranks in ascending order, in which terms are summed
  int position = 0;         // of this rank in members
  int order = 0;            // of this rank in ordered
  uint32_t axes = 0;        // bit set

  int size() const { return int(members.size()); }
};

/// Ranks are numbered row-major, the last axis being the fastest.
class Mesh {
public:
  Mesh() = default;
  explicit Mesh(const froe_program &program);

  int size() const;
  uint32_t allAxes() const { return (1u << sizes.size()) - 1; }
  int64_t coordinate(int rank, int axis) const;

  /// How many blocks `axes` cut a dim into.
  int64_t blocks(const froe_axes &axes) const;
  /// Which of them is `rank`'s.
  int64_t block(int rank, const froe_axes &axes) const;
  /// Whether each axis exists and is named once.
  bool valid(const froe_axes &axes) const;

  Group group(int rank, const froe_axes &axes) const;

private:
  std::vector<int64_t> sizes, strides;
};

/// The part of a dim that one block holds.
struct Part {
  int64_t block; // size of every block, padding included
  int64_t begin; // where the valid part begins
  int64_t valid; // how much of the block is valid, 0 if it lies behind the end
};

/// Of a dim of `size`, cut into `blocks`, block number `index`.
Part partOf(int64_t size, int64_t blocks, int64_t index);

} // namespace froe::rt

// How ranks exchange data. One implementation per medium; froe_rt.h's collectives are written on top of this.
#pragma once

#include "froe_rt.h"
#include "runtime/core/Mesh.h"

#include <cstdint>

namespace froe::rt {

/// A tensor [outer][size][inner], cut along its middle dim into one block per member of a group.
struct Cut {
  int64_t outer, size, inner;
};

/// A tensor [outer][first][middle][second][inner] of which one of `first` and `second` is cut, and the other one
/// afterwards.
struct Exchange {
  bool gathersFirst;
  int64_t outer, first, middle, second, inner;
};

/// Buffers lie in the arena, at the same offset on all ranks of the group; sizes are in elements of `type`. What is
/// padding in the result becomes zero. Every function returns how many bytes other ranks received from this one.
class Transport {
public:
  virtual ~Transport() = default;

  /// Waits for all ranks of the run.
  virtual void barrier() = 0;

  virtual int64_t allReduce(const Group &group, froe_reduce reduce, froe_type type, int64_t count, const void *in,
                            void *out) = 0;
  virtual int64_t allGather(const Group &group, froe_type type, const Cut &cut, const void *in, void *out) = 0;
  virtual int64_t reduceScatter(const Group &group, froe_reduce reduce, froe_type type, const Cut &cut, const void *in,
                                void *out) = 0;
  virtual int64_t allToAll(const Group &group, froe_type type, const Exchange &exchange, const void *in, void *out) = 0;
};

} // namespace froe::rt

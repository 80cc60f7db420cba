#pragma once

#include <cstdint>
#include <span>

namespace froe {

/// `bytes` that hold a value from step `first` (which writes it) to step `last` (which reads it last), both included.
struct Buffer {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t offset = 0; ///< the answer, a multiple of kArenaAlignment
};

inline constexpr int64_t kArenaAlignment = 64;

/// Sets the offsets so that buffers that live at the same time do not overlap, and returns the bytes needed. One after
/// the other goes into the tightest gap that fits, in several orders, large ones first in the first of them; then what
/// lies highest is placed first instead, again and again. The best is taken: mostly the largest sum alive at one time.
int64_t layOut(std::span<Buffer> buffers);

} // namespace froe

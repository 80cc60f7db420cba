// Places of buffers with known lifetimes in one block of memory.
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

/// Sets the offsets so that buffers that live at the same time do not overlap, and returns the bytes needed. Large
/// buffers go first, each into the tightest gap that fits: rarely more than a few percent above the largest sum alive
/// at one time.
int64_t layOut(std::span<Buffer> buffers);

} // namespace froe

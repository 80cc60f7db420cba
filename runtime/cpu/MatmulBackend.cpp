#include "runtime/cpu/MatmulBackend.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace froe::cpu {

void *threadScratch(uint64_t bytes) {
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  thread_local std::unique_ptr<void, Free> memory;
  thread_local uint64_t size = 0;
  if (bytes > size) {
    memory.reset(); // before the new one is there: the peak is the larger, not the sum
    size = 0;
    memory.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    if (!memory)
      throw std::bad_alloc();
    size = bytes;
  }
  return memory.get();
}

Range partOf(int64_t extent, int64_t unit, int64_t pieces, int64_t index) {
  int64_t units = (extent + unit - 1) / unit;
  return {std::min(units * index / pieces * unit, extent), std::min(units * (index + 1) / pieces * unit, extent)};
}

} // namespace froe::cpu

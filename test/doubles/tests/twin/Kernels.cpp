// Host twins of kernels of a test, one function for a whole grid each.
#include <cstdint>

namespace {
template <class T> T parameter(void **parameters, int index) { return *static_cast<T *>(parameters[index]); }
} // namespace

extern "C" {

/// out[i] = 2 * in[i], n elements, any grid.
extern const int32_t twice_twin[4];
const int32_t twice_twin[4] = {3, 0, 0, 0};
void twice_grid(void **parameters, uint32_t, uint32_t) {
  auto *in = parameter<const float *>(parameters, 0);
  auto *out = parameter<float *>(parameters, 1);
  for (int64_t i = 0; i < parameter<int64_t>(parameters, 2); ++i)
    out[i] = 2 * in[i];
}

/// The same for exactly 4 blocks of 64 threads with 128 bytes of shared memory.
extern const int32_t strict_twin[4];
const int32_t strict_twin[4] = {3, 64, 4, 128};
void strict_grid(void **parameters, uint32_t grid, uint32_t block) { twice_grid(parameters, grid, block); }

} // extern "C"

// Kernels of CudaTest and of the sample program as the double of the driver runs them: a shared object that is an image
// of its own.
#include <cstdint>

namespace {
template <class T> T parameter(void **parameters, int index) { return *static_cast<T *>(parameters[index]); }
} // namespace

extern "C" {

/// out[i] = in[i] * factor[0] for 12 elements; a negative one is a fault.
extern const int32_t scale_twin[4];
const int32_t scale_twin[4] = {4, 32, 1, 0};
void scale_grid(void **parameters, uint32_t, uint32_t) {
  auto *in = parameter<const float *>(parameters, 0), *factor = parameter<const float *>(parameters, 1);
  auto *out = parameter<float *>(parameters, 2);
  for (int i = 0; i < 12; ++i) {
    out[i] = in[i] * factor[0];
    if (in[i] < 0)
      *parameter<uint32_t *>(parameters, 3) |= 1;
  }
}

/// out[i] = in[i] * weight[i % 3] for 9 elements.
extern const int32_t multiply_twin[4];
const int32_t multiply_twin[4] = {4, 32, 1, 0};
void multiply_grid(void **parameters, uint32_t, uint32_t) {
  auto *in = parameter<const float *>(parameters, 0), *weight = parameter<const float *>(parameters, 1);
  for (int i = 0; i < 9; ++i)
    parameter<float *>(parameters, 2)[i] = in[i] * weight[i % 3];
}

} // extern "C"

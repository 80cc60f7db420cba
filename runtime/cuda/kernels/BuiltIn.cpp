#include "runtime/cuda/kernels/BuiltIn.h"

namespace {

using namespace froe::cuda;

#ifdef __NVPTX__
#define FROE_KERNEL extern "C" __attribute__((nvptx_kernel)) void
float powerOfTwo(float x) { return __nvvm_ex2_approx_f(x); }
int64_t firstIndex() {
  return int64_t(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
int64_t indexStep() { return int64_t(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x(); }
#else
float powerOfTwo(float x) { return __builtin_exp2f(x); }
int64_t firstIndex() { return 0; }
int64_t indexStep() { return 1; }
#endif

struct BFloat16 {
  uint16_t bits;
};

// What an element is computed in.
float widen(float value) { return value; }
double widen(double value) { return value; }
float widen(_Float16 value) { return float(value); }
float widen(BFloat16 value) { return __builtin_bit_cast(float, uint32_t(value.bits) << 16); }
template <class T> T widen(T value) { return value; }

template <class T, class Wide> T narrow(Wide value) { return T(value); }
template <> BFloat16 narrow<BFloat16, float>(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  return {uint16_t(value != value ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

template <class Wide> Wide combine(Wide a, Wide b, int64_t reduce) {
  switch (reduce) {
  case FROE_SUM:
    return Wide(a + b);
  case FROE_PRODUCT:
    return Wide(a * b);
  case FROE_MAX:
    return a != a || a > b ? a : b;
  default:
    return a != a || a < b ? a : b;
  }
}
template <class T> T combineBits(T a, T b, int64_t reduce) {
  return reduce == FROE_AND ? T(a & b) : reduce == FROE_OR ? T(a | b) : combine(a, b, reduce);
}

template <class T> void reduceFloats(const ReduceArguments &r) {
  auto *in = reinterpret_cast<const T *>(r.in);
  for (int64_t i = firstIndex(); i < r.count; i += indexStep()) {
    auto value = widen(in[i]);
    for (int64_t term = 1; term < r.terms; ++term)
      value = combine(value, widen(in[term * r.stride + i]), r.reduce);
    reinterpret_cast<T *>(r.out)[i] = narrow<T>(value);
  }
}

template <class T> void reduceIntegers(const ReduceArguments &r) {
  auto *in = reinterpret_cast<const T *>(r.in);
  for (int64_t i = firstIndex(); i < r.count; i += indexStep()) {
    T value = in[i];
    for (int64_t term = 1; term < r.terms; ++term)
      value = combineBits(value, in[term * r.stride + i], r.reduce);
    reinterpret_cast<T *>(r.out)[i] = value;
  }
}

void reduceElements(const ReduceArguments &r) {
  switch (r.type) {
  case FROE_F32:
    return reduceFloats<float>(r);
  case FROE_F64:
    return reduceFloats<double>(r);
  case FROE_F16:
    return reduceFloats<_Float16>(r);
  case FROE_BF16:
    return reduceFloats<BFloat16>(r);
  case FROE_I8:
    return reduceIntegers<int8_t>(r);
  case FROE_I16:
    return reduceIntegers<int16_t>(r);
  case FROE_I32:
    return reduceIntegers<int32_t>(r);
  case FROE_I64:
    return reduceIntegers<int64_t>(r);
  case FROE_U16:
    return reduceIntegers<uint16_t>(r);
  case FROE_U32:
    return reduceIntegers<uint32_t>(r);
  case FROE_U64:
    return reduceIntegers<uint64_t>(r);
  default: // u8; bools, whose reductions are told as and, or
    return reduceIntegers<uint8_t>(r);
  }
}

template <class T> void fillElements(const FillArguments &f) {
  for (int64_t i = firstIndex(); i < f.rows * f.width; i += indexStep())
    reinterpret_cast<T *>(f.out)[i / f.width * f.pitch + i % f.width] = T(f.value);
}

float exponential(float x) { return powerOfTwo(x * 1.44269504088896341f); }
float hyperbolicTangent(float x) {
  float square = x * x;
  if (square < 0.0025f) // where the quotient below cancels
    return x * (1 - square * (1.0f / 3) + square * square * (2.0f / 15));
  return 1 - 2 / (exponential(2 * x) + 1);
}
/// Abramowitz and Stegun 7.1.26: absolute error below 2e-7.
float errorFunction(float x) {
  float a = x < 0 ? -x : x, t = 1 / (1 + 0.3275911f * a);
  float p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  float value = 1 - p * exponential(-a * a);
  return x < 0 ? -value : value;
}

template <class Wide> Wide activate(Wide x, int32_t kind) {
  auto f = float(x);
  switch (kind) {
  case FROE_POST_RELU:
    return x < 0 ? Wide(0) : x;
  case FROE_POST_GELU_ERF:
    return Wide(0.5f * f * (1 + errorFunction(f * 0.70710678118654752f)));
  case FROE_POST_GELU_TANH:
    return Wide(0.5f * f * (1 + hyperbolicTangent(0.79788456080286536f * (f + 0.044715f * f * f * f))));
  case FROE_POST_SILU:
    return Wide(f / (1 + exponential(-f)));
  case FROE_POST_TANH:
    return Wide(hyperbolicTangent(f));
  case FROE_POST_SIGMOID:
    return Wide(1 / (1 + exponential(-f)));
  default:
    return x;
  }
}

/// Where one element of the result is.
struct Place {
  int64_t batch[FROE_MAX_BATCH], m, n;

  Place(const froe_matmul &p, int64_t index) : m(index / p.n % p.m), n(index % p.n) {
    index /= p.m * p.n;
    for (int d = p.batch_rank; d-- > 0; index /= p.batch[d])
      batch[d] = index % p.batch[d];
  }
  int64_t offset(const froe_matmul &p, const int64_t *batchStride, int64_t mStride, int64_t nStride) const {
    int64_t sum = m * mStride + n * nStride;
    for (int d = 0; d < p.batch_rank; ++d)
      sum += batch[d] * batchStride[d];
    return sum;
  }
};

template <class T, class Wide, class Result = T> void multiplyElements(const MatmulArguments &call) {
  const auto &p = *reinterpret_cast<const froe_matmul *>(call.matmul);
  auto *a = reinterpret_cast<const T *>(call.buffers[0]), *b = reinterpret_cast<const T *>(call.buffers[1]);
  auto *c = reinterpret_cast<Result *>(call.buffers[2]);
  int64_t count = p.m * p.n;
  for (int d = 0; d < p.batch_rank; ++d)
    count *= p.batch[d];
  for (int64_t i = firstIndex(); i < count; i += indexStep()) {
    Place place(p, i);
    Result &target = c[place.offset(p, p.c_batch_stride, p.c_m_stride, p.c_n_stride)];
    Wide value = call.multiply ? Wide(0) : Wide(widen(target));
    if (call.multiply) {
      auto *row = a + place.offset(p, p.a_batch_stride, p.a_m_stride, 0);
      auto *column = b + place.offset(p, p.b_batch_stride, 0, p.b_n_stride);
      for (int64_t k = 0; k < p.k; ++k)
        value += Wide(widen(row[k * p.a_k_stride])) * Wide(widen(column[k * p.b_k_stride]));
    }
    for (auto s = int32_t(call.first); s < p.post_count; ++s) {
      const froe_post &post = p.posts[s];
      if (post.kind == FROE_POST_SCALE)
        value *= Wide(post.value);
      else if (post.kind == FROE_POST_ADD || post.kind == FROE_POST_MUL) {
        auto *operand = reinterpret_cast<const Result *>(call.buffers[post.buffer]);
        auto other = Wide(widen(operand[place.offset(p, post.batch_stride, post.m_stride, post.n_stride)]));
        value = post.kind == FROE_POST_ADD ? value + other : value * other;
      } else
        value = activate(value, post.kind);
    }
    target = narrow<Result>(value);
  }
}

void multiply(const MatmulArguments &call) {
  const auto &p = *reinterpret_cast<const froe_matmul *>(call.matmul);
  switch (p.type) {
  case FROE_F32:
    return multiplyElements<float, float>(call);
  case FROE_F64:
    return multiplyElements<double, double>(call);
  case FROE_F16:
    return p.c_type == FROE_F32 ? multiplyElements<_Float16, float, float>(call)
                                : multiplyElements<_Float16, float>(call);
  case FROE_BF16:
    return p.c_type == FROE_F32 ? multiplyElements<BFloat16, float, float>(call)
                                : multiplyElements<BFloat16, float>(call);
  case FROE_I8:
    return multiplyElements<int8_t, int32_t>(call);
  case FROE_I16:
    return multiplyElements<int16_t, int32_t>(call);
  case FROE_I32:
    return multiplyElements<int32_t, int32_t>(call);
  case FROE_I64:
    return multiplyElements<int64_t, int64_t>(call);
  case FROE_U16:
    return multiplyElements<uint16_t, uint32_t>(call);
  case FROE_U32:
    return multiplyElements<uint32_t, uint32_t>(call);
  case FROE_U64:
    return multiplyElements<uint64_t, uint64_t>(call);
  default:
    return multiplyElements<uint8_t, uint32_t>(call);
  }
}

void fill(const FillArguments &call) {
  switch (call.bytes) {
  case 1:
    return fillElements<uint8_t>(call);
  case 2:
    return fillElements<uint16_t>(call);
  case 4:
    return fillElements<uint32_t>(call);
  default:
    return fillElements<uint64_t>(call);
  }
}

} // namespace

// Each takes one parameter, the address of its arguments in device memory.
#ifdef __NVPTX__
FROE_KERNEL froe_builtin_reduce(const ReduceArguments *call) { reduceElements(*call); }
FROE_KERNEL froe_builtin_fill(const FillArguments *call) { fill(*call); }
FROE_KERNEL froe_builtin_matmul(const MatmulArguments *call) { multiply(*call); }
#else
#define FROE_TWIN(name, Arguments, function)                                                                           \
  extern "C" const int32_t name##_twin[4];                                                                             \
  extern "C" const int32_t name##_twin[4] = {1, 0, 0, 0};                                                              \
  extern "C" void name##_grid(void **parameters, uint32_t, uint32_t) {                                                 \
    function(**static_cast<const Arguments **>(parameters[0]));                                                        \
  }
FROE_TWIN(froe_builtin_reduce, ReduceArguments, reduceElements)
FROE_TWIN(froe_builtin_fill, FillArguments, fill)
FROE_TWIN(froe_builtin_matmul, MatmulArguments, multiply)
#endif

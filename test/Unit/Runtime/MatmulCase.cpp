#include "MatmulCase.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using std::size_t;

namespace {

/// Bf16 by the definition: the nearest float whose low half is zero, ties to even.
struct BrainFloat {
  uint16_t bits = 0;
  BrainFloat() = default;
  explicit BrainFloat(double value) {
    float low = std::bit_cast<float>(std::bit_cast<uint32_t>(float(value)) & 0xffff0000u), high = low;
    if (std::isfinite(low) && double(low) != value) {
      high = std::bit_cast<float>(std::bit_cast<uint32_t>(low) + 0x10000u);
      double below = std::abs(value - double(low)), above = std::abs(value - double(high));
      if (above < below || (above == below && std::bit_cast<uint32_t>(low) >> 16 & 1))
        low = high;
    }
    bits = uint16_t(std::bit_cast<uint32_t>(low) >> 16);
  }
  explicit operator double() const { return double(std::bit_cast<float>(uint32_t(bits) << 16)); }
};

template <class Visit> auto withType(int32_t type, Visit &&visit) {
  switch (static_cast<froe_type>(type)) {
  case FROE_F32:
    return visit(float());
  case FROE_F64:
    return visit(double());
  case FROE_F16:
    return visit(static_cast<_Float16>(0));
  case FROE_BF16:
    return visit(BrainFloat());
  case FROE_I8:
    return visit(int8_t());
  case FROE_I16:
    return visit(int16_t());
  case FROE_I32:
    return visit(int32_t());
  case FROE_I64:
    return visit(int64_t());
  case FROE_U8:
    return visit(uint8_t());
  case FROE_U16:
    return visit(uint16_t());
  case FROE_U32:
    return visit(uint32_t());
  case FROE_U64:
    return visit(uint64_t());
  case FROE_BOOL:
    return visit(bool());
  }
  std::abort();
}

bool isReal(int32_t type) { return type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16; }

double relativeRounding(int32_t type) {
  return type == FROE_F64 ? 1e-13 : type == FROE_F32 ? 2e-6 : type == FROE_F16 ? 1e-3 : 8e-3;
}

double activation(int32_t kind, double x) {
  switch (kind) {
  case FROE_POST_RELU:
    return x < 0 ? 0 : x;
  case FROE_POST_GELU_ERF:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case FROE_POST_GELU_TANH:
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case FROE_POST_SILU:
    return x / (1 + std::exp(-x));
  case FROE_POST_TANH:
    return std::tanh(x);
  case FROE_POST_SIGMOID:
    return 1 / (1 + std::exp(-x));
  default:
    return x;
  }
}

int64_t offsetOf(const int64_t *index, const int64_t *strides, int rank) {
  int64_t offset = 0;
  for (int dim = 0; dim < rank; ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

} // namespace

MatmulCase::MatmulCase(froe_type type, std::vector<int64_t> batch, int64_t m, int64_t n, int64_t k) {
  matmul.type = matmul.c_type = type;
  matmul.batch_rank = int32_t(batch.size());
  matmul.m = m;
  matmul.n = n;
  matmul.k = k;
  matmul.weight = -1;
  int64_t matrices = 1;
  for (int dim = matmul.batch_rank; dim-- > 0;) {
    matmul.batch[dim] = batch[dim];
    matmul.a_batch_stride[dim] = matrices * m * k;
    matmul.b_batch_stride[dim] = matrices * k * n;
    matmul.c_batch_stride[dim] = matrices * m * n;
    matrices *= batch[dim];
  }
  matmul.a_m_stride = k, matmul.a_k_stride = 1;
  matmul.b_k_stride = n, matmul.b_n_stride = 1;
  matmul.c_m_stride = n, matmul.c_n_stride = 1;
}

MatmulCase &MatmulCase::transposeLeft() {
  matmul.a_m_stride = 1, matmul.a_k_stride = matmul.m;
  return *this;
}
MatmulCase &MatmulCase::transposeRight() {
  matmul.b_k_stride = 1, matmul.b_n_stride = matmul.k;
  return *this;
}
MatmulCase &MatmulCase::wideResult() {
  matmul.c_type = FROE_F32;
  return *this;
}
MatmulCase &MatmulCase::broadcastRight() {
  std::fill_n(matmul.b_batch_stride, FROE_MAX_BATCH, 0);
  return *this;
}

MatmulCase &MatmulCase::post(froe_post_kind kind, float value) {
  froe_post &post = matmul.posts[matmul.post_count++];
  post = {};
  post.kind = kind;
  post.buffer = -1;
  post.value = value;
  return *this;
}

MatmulCase &MatmulCase::post(froe_post_kind kind, Operand operand) {
  int buffers = 3;
  for (int i = 0; i < matmul.post_count; ++i)
    buffers = std::max(buffers, matmul.posts[i].buffer + 1);
  post(kind, 0.0f);
  froe_post &post = matmul.posts[matmul.post_count - 1];
  post.buffer = buffers;
  switch (operand) {
  case Row:
    post.n_stride = 1;
    break;
  case Scalar:
    break;
  case Column:
    post.m_stride = 1;
    break;
  case Full:
    std::copy_n(matmul.c_batch_stride, FROE_MAX_BATCH, post.batch_stride);
    post.m_stride = matmul.c_m_stride, post.n_stride = matmul.c_n_stride;
    break;
  case BatchRow: // like an attention mask: [batch[0]][1...][n]
    post.batch_stride[0] = matmul.n;
    post.n_stride = 1;
    break;
  }
  return *this;
}

/// Calls visit(index of the element in `expected`, batch index, m, n).
template <class Visit> void MatmulCase::eachElement(Visit &&visit) const {
  int64_t index[FROE_MAX_BATCH] = {}, at = 0, matrices = 1;
  for (int dim = 0; dim < matmul.batch_rank; ++dim)
    matrices *= matmul.batch[dim];
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    for (int64_t dim = matmul.batch_rank, rest = matrix; dim-- > 0; rest /= matmul.batch[dim])
      index[dim] = rest % matmul.batch[dim];
    for (int64_t m = 0; m < matmul.m; ++m)
      for (int64_t n = 0; n < matmul.n; ++n)
        visit(at++, index, m, n);
  }
}

int32_t MatmulCase::typeOf(int buffer) const { return buffer < 2 ? matmul.type : matmul.c_type; }

double MatmulCase::read(int buffer, int64_t index) const {
  return withType(typeOf(buffer), [&](auto element) {
    std::memcpy(&element, tensors[size_t(buffer)].data() + index * int64_t(sizeof element), sizeof element);
    return double(element);
  });
}

void MatmulCase::write(int buffer, int64_t index, double value) {
  withType(typeOf(buffer), [&](auto element) {
    element = static_cast<decltype(element)>(isReal(matmul.type) ? value : double(int64_t(value)));
    std::memcpy(tensors[size_t(buffer)].data() + index * int64_t(sizeof element), &element, sizeof element);
  });
}

void MatmulCase::fill(unsigned seed) {
  const froe_matmul &p = matmul;
  auto extent = [&](const int64_t *batch, int64_t rows, int64_t rowStride, int64_t columns, int64_t columnStride) {
    int64_t size = 1 + std::max<int64_t>(rows - 1, 0) * rowStride + std::max<int64_t>(columns - 1, 0) * columnStride;
    for (int dim = 0; dim < p.batch_rank; ++dim)
      size += std::max<int64_t>(p.batch[dim] - 1, 0) * batch[dim];
    return size;
  };
  std::vector<int64_t> sizes = {extent(p.a_batch_stride, p.m, p.a_m_stride, p.k, p.a_k_stride),
                                extent(p.b_batch_stride, p.k, p.b_k_stride, p.n, p.b_n_stride),
                                extent(p.c_batch_stride, p.m, p.c_m_stride, p.n, p.c_n_stride)};
  for (int i = 0; i < p.post_count; ++i)
    if (p.posts[i].buffer >= 0)
      sizes.push_back(extent(p.posts[i].batch_stride, p.m, p.posts[i].m_stride, p.n, p.posts[i].n_stride));
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> integer(p.type == FROE_BOOL ? 0
                                             : p.type >= FROE_U8 ? 0
                                                                 : -9,
                                             p.type == FROE_BOOL ? 1 : 9);
  tensors.clear();
  for (size_t t = 0; t < sizes.size(); ++t) {
    size_t bytes = withType(typeOf(int(t)), [](auto element) { return sizeof element; });
    tensors.emplace_back(size_t(sizes[t]) * bytes);
    for (int64_t i = 0; i < sizes[t]; ++i)
      write(int(t), i, isReal(p.type) ? normal(generator) : integer(generator));
  }
  compute();
}

void MatmulCase::compute() {
  const froe_matmul &p = matmul;
  eachElement([&](int64_t, const int64_t *index, int64_t m, int64_t n) {
    double sum = 0, size = 0;
    int64_t a = offsetOf(index, p.a_batch_stride, p.batch_rank) + m * p.a_m_stride;
    int64_t b = offsetOf(index, p.b_batch_stride, p.batch_rank) + n * p.b_n_stride;
    for (int64_t k = 0; k < p.k; ++k) {
      double term = read(0, a + k * p.a_k_stride) * read(1, b + k * p.b_k_stride);
      sum += term, size += std::abs(term);
    }
    for (int i = 0; i < p.post_count; ++i) {
      const froe_post &post = p.posts[i];
      double operand = post.buffer < 0 ? 0
                                       : read(post.buffer, offsetOf(index, post.batch_stride, p.batch_rank) +
                                                               m * post.m_stride + n * post.n_stride);
      if (post.kind == FROE_POST_SCALE)
        sum *= double(post.value), size *= std::abs(double(post.value));
      else if (post.kind == FROE_POST_ADD)
        sum += operand, size += std::abs(operand);
      else if (post.kind == FROE_POST_MUL)
        sum *= operand, size *= std::abs(operand);
      else
        sum = activation(post.kind, sum);
    }
    expected.push_back(sum);
    magnitude.push_back(size);
  });
}

std::vector<void *> MatmulCase::buffers() {
  std::vector<void *> pointers;
  for (Tensor &tensor : tensors)
    pointers.push_back(tensor.data());
  return pointers;
}

std::string MatmulCase::mismatch() const {
  std::string message;
  eachElement([&](int64_t at, const int64_t *index, int64_t m, int64_t n) {
    int64_t c =
        offsetOf(index, matmul.c_batch_stride, matmul.batch_rank) + m * matmul.c_m_stride + n * matmul.c_n_stride;
    double found = read(2, c), wanted = expected[size_t(at)];
    double allowed = isReal(matmul.type) ? relativeRounding(matmul.c_type) * (magnitude[size_t(at)] + 1) : 0;
    if (matmul.type == FROE_BOOL)
      wanted = wanted != 0;
    else if (!isReal(matmul.type))
      withType(matmul.type, [&](auto element) { wanted = double(static_cast<decltype(element)>(int64_t(wanted))); });
    bool same = std::isnan(wanted) ? std::isnan(found) : found == wanted || std::abs(found - wanted) <= allowed;
    if (!same && message.empty())
      message = "element " + std::to_string(at) + " (m " + std::to_string(m) + ", n " + std::to_string(n) +
                "): expected " + std::to_string(wanted) + ", found " + std::to_string(found);
  });
  return message;
}

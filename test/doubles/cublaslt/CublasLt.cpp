// libcublasLt for tests: column-major reference products with the epilogues that Froe asks for. A layout that does not
// fit its product, or reaches beyond its memory, ends the process with exit code 86 and a line on stderr.
// FROE_DOUBLE_LT_REFUSES=1: no product is supported.
#include "test/doubles/cuda/Double.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

using namespace froe::cuda;

namespace froe::cuda {

struct cublasLtContext {};

struct LtMatmulHandle {
  LtCompute compute;
  int transposeA = kLtPlain, transposeB = kLtPlain, epilogue = kLtNone, biasType = -1;
  const void *bias = nullptr;
};

struct LtLayoutHandle {
  LtType type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches = 1;
  int64_t batchStride = 0;
};

struct LtPreferenceHandle {
  uint64_t workspaceBytes = 0;
};

} // namespace froe::cuda

namespace {

[[noreturn]] void alarm(const std::string &message) {
  std::fprintf(stderr, "cublasLt double: %s\n", message.c_str());
  std::fflush(stderr);
  _exit(froe::doubles::kAlarmExitCode);
}

size_t bytesOf(LtType type) { return type == kLtF64 ? 8 : type == kLtF32 ? 4 : 2; }

double loadElement(LtType type, const void *data, int64_t index) {
  switch (type) {
  case kLtF32:
    return static_cast<const float *>(data)[index];
  case kLtF64:
    return static_cast<const double *>(data)[index];
  case kLtF16:
    return double(static_cast<const _Float16 *>(data)[index]);
  default:
    return std::bit_cast<float>(uint32_t(static_cast<const uint16_t *>(data)[index]) << 16);
  }
}

void storeElement(LtType type, void *data, int64_t index, double value) {
  switch (type) {
  case kLtF32:
    static_cast<float *>(data)[index] = float(value);
    return;
  case kLtF64:
    static_cast<double *>(data)[index] = value;
    return;
  case kLtF16:
    static_cast<_Float16 *>(data)[index] = _Float16(float(value));
    return;
  default:
    auto bits = std::bit_cast<uint32_t>(float(value));
    static_cast<uint16_t *>(data)[index] =
        uint16_t(std::isnan(value) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

struct Product {
  LtMatmulHandle matmul;
  LtLayoutHandle a, b, c, d;
  double alpha, beta;
  const void *aData, *bData, *cData;
  void *dData;

  int64_t m() const { return int64_t(d.rows); }
  int64_t n() const { return int64_t(d.columns); }
  int64_t k() const { return int64_t(matmul.transposeA == kLtPlain ? a.columns : a.rows); }
};

void checkMemory(const char *name, const LtLayoutHandle &layout, const void *data) {
  if (layout.rows == 0 || layout.columns == 0)
    return;
  int64_t last = int64_t(layout.batches - 1) * layout.batchStride + int64_t(layout.columns - 1) * layout.leading +
                 int64_t(layout.rows);
  froe_double_check(data, size_t(last) * bytesOf(layout.type), fmt::format("cublasLtMatmul, {}", name).c_str());
}

/// "" or what does not fit.
std::string misfit(const LtMatmulHandle &matmul, const LtLayoutHandle &a, const LtLayoutHandle &b,
                   const LtLayoutHandle &c, const LtLayoutHandle &d) {
  bool plainA = matmul.transposeA == kLtPlain, plainB = matmul.transposeB == kLtPlain;
  uint64_t m = plainA ? a.rows : a.columns, kA = plainA ? a.columns : a.rows;
  uint64_t kB = plainB ? b.rows : b.columns, n = plainB ? b.columns : b.rows;
  if (m != d.rows || n != d.columns || kA != kB || c.rows != d.rows || c.columns != d.columns)
    return fmt::format("op(A) is {}x{}, op(B) {}x{}, C {}x{}, D {}x{}", m, kA, kB, n, c.rows, c.columns, d.rows,
                       d.columns);
  for (const auto &[name, layout] : std::map<std::string, LtLayoutHandle>{{"A", a}, {"B", b}, {"C", c}, {"D", d}}) {
    if (layout.leading < int64_t(layout.rows))
      return fmt::format("{} has {} rows and a leading dimension of {}", name, layout.rows, layout.leading);
    if (layout.batches != d.batches)
      return fmt::format("{} has {} batches, D {}", name, layout.batches, d.batches);
  }
  if (a.type != b.type)
    return "A and B are of different types";
  return "";
}

double finish(const Product &product, double value, int64_t row) {
  int epilogue = product.matmul.epilogue;
  if (epilogue & kLtBias)
    value += loadElement(product.d.type, product.matmul.bias, row);
  if (epilogue & kLtRelu)
    value = value < 0 ? 0 : value;
  if (epilogue & kLtGelu)
    value *= 0.5 * (1 + std::tanh(0.79788456080286535588 * (value + 0.044715 * value * value * value)));
  return value;
}

constexpr int64_t kPanel = 16; // rows whose sums are in registers

/// Rows [first, first + kPanel) of op(A), in double, as [k][kPanel]; zeros behind the last one.
std::vector<double> panelOf(const Product &p, int64_t batch, int64_t first) {
  int64_t count = std::min(kPanel, p.m() - first);
  std::vector<double> panel(size_t(p.k() * kPanel));
  for (int64_t i = 0; i < p.k() * count; ++i) {
    bool plain = p.matmul.transposeA == kLtPlain; // neighbours in memory are rows
    int64_t k = plain ? i / count : i % p.k(), row = plain ? i % count : i / p.k();
    int64_t at = plain ? k * p.a.leading + first + row : (first + row) * p.a.leading + k;
    panel[size_t(k * kPanel + row)] = loadElement(p.a.type, p.aData, batch * p.a.batchStride + at);
  }
  return panel;
}

/// op(B), in double, as [n][k].
std::vector<double> columnsOf(const Product &p, int64_t batch) {
  std::vector<double> columns(size_t(p.n() * p.k()));
  for (int64_t i = 0; i < p.n() * p.k(); ++i) {
    int64_t column = i / p.k(), k = i % p.k();
    int64_t at = p.matmul.transposeB == kLtPlain ? column * p.b.leading + k : k * p.b.leading + column;
    columns[size_t(i)] = loadElement(p.b.type, p.bData, batch * p.b.batchStride + at);
  }
  return columns;
}

/// sums[row] = sum over k of panel[k][row] * column[k], in this order.
[[gnu::target_clones("avx512f", "avx2", "default")]]
void multiply(const double *panel, const double *column, int64_t count, double *sums) {
  double rows[kPanel] = {};
  for (int64_t k = 0; k < count; ++k)
    for (int64_t row = 0; row < kPanel; ++row)
      rows[row] += panel[k * kPanel + row] * column[k];
  std::copy(rows, rows + kPanel, sums);
}

void store(const Product &p, int64_t batch, int64_t row, int64_t column, double sum) {
  double value = p.alpha * sum;
  if (p.beta != 0)
    value += p.beta * loadElement(p.c.type, p.cData, batch * p.c.batchStride + column * p.c.leading + row);
  storeElement(p.d.type, p.dData, batch * p.d.batchStride + column * p.d.leading + row, finish(p, value, row));
}

void multiplyBatch(const Product &p, int64_t batch) {
  std::vector<double> columns = columnsOf(p, batch);
  double sums[kPanel];
  for (int64_t first = 0; first < p.m(); first += kPanel) {
    std::vector<double> panel = panelOf(p, batch, first);
    for (int64_t column = 0; column < p.n(); ++column) {
      multiply(panel.data(), columns.data() + column * p.k(), p.k(), sums);
      for (int64_t row = 0; row < kPanel && first + row < p.m(); ++row)
        store(p, batch, first + row, column, sums[row]);
    }
  }
}

void run(void *argument) {
  const auto &p = *static_cast<const Product *>(argument);
  checkMemory("A", p.a, p.aData), checkMemory("B", p.b, p.bData), checkMemory("D", p.d, p.dData);
  if (p.matmul.epilogue & kLtBias)
    froe_double_check(p.matmul.bias, p.d.rows * bytesOf(p.d.type), "cublasLtMatmul, bias");
  for (int64_t batch = 0; batch < p.d.batches; ++batch)
    multiplyBatch(p, batch);
}

template <class T> LtResult take(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof field)
    return kLtInvalidValue;
  std::memcpy(&field, value, bytes);
  return kLtSuccess;
}

double scalar(LtCompute compute, const void *value) {
  return compute == kLtCompute64F ? *static_cast<const double *>(value) : double(*static_cast<const float *>(value));
}

} // namespace

extern "C" {

LtResult cublasLtCreate(LtHandle *handle) {
  *handle = new cublasLtContext;
  return kLtSuccess;
}

LtResult cublasLtDestroy(LtHandle handle) {
  delete handle;
  return kLtSuccess;
}

LtResult cublasLtMatmulDescCreate(LtMatmul *matmul, LtCompute compute, LtType scale) {
  if ((compute == kLtCompute64F) != (scale == kLtF64))
    return kLtInvalidValue;
  *matmul = new LtMatmulHandle{compute};
  return kLtSuccess;
}

LtResult cublasLtMatmulDescDestroy(LtMatmul matmul) {
  delete matmul;
  return kLtSuccess;
}

LtResult cublasLtMatmulDescSetAttribute(LtMatmul matmul, LtMatmulAttribute name, const void *value, size_t bytes) {
  switch (name) {
  case kLtTransA:
    return take(matmul->transposeA, value, bytes);
  case kLtTransB:
    return take(matmul->transposeB, value, bytes);
  case kLtEpilogue:
    return take(matmul->epilogue, value, bytes);
  case kLtBiasPointer:
    return take(matmul->bias, value, bytes);
  case kLtBiasType:
    return take(matmul->biasType, value, bytes);
  }
  return kLtInvalidValue;
}

LtResult cublasLtMatrixLayoutCreate(LtLayout *layout, LtType type, uint64_t rows, uint64_t columns, int64_t leading) {
  *layout = new LtLayoutHandle{type, rows, columns, leading};
  return kLtSuccess;
}

LtResult cublasLtMatrixLayoutDestroy(LtLayout layout) {
  delete layout;
  return kLtSuccess;
}

LtResult cublasLtMatrixLayoutSetAttribute(LtLayout layout, LtLayoutAttribute name, const void *value, size_t bytes) {
  return name == kLtBatchCount    ? take(layout->batches, value, bytes)
         : name == kLtBatchStride ? take(layout->batchStride, value, bytes)
                                  : kLtInvalidValue;
}

LtResult cublasLtMatmulPreferenceCreate(LtPreference *preference) {
  *preference = new LtPreferenceHandle;
  return kLtSuccess;
}

LtResult cublasLtMatmulPreferenceDestroy(LtPreference preference) {
  delete preference;
  return kLtSuccess;
}

LtResult cublasLtMatmulPreferenceSetAttribute(LtPreference preference, LtPreferenceAttribute name, const void *value,
                                              size_t bytes) {
  return name == kLtMaxWorkspaceBytes ? take(preference->workspaceBytes, value, bytes) : kLtInvalidValue;
}

LtResult cublasLtMatmulAlgoGetHeuristic(LtHandle, LtMatmul matmul, LtLayout a, LtLayout b, LtLayout c, LtLayout d,
                                        LtPreference, int requested, LtHeuristic *results, int *found) {
  if (std::string why = misfit(*matmul, *a, *b, *c, *d); !why.empty())
    alarm("cublasLtMatmulAlgoGetHeuristic: " + why);
  bool refuses = froe::doubles::setting("FROE_DOUBLE_LT_REFUSES", 0) != 0;
  *found = requested > 0 && !refuses;
  if (*found)
    results[0] = {{{1}}, 0, kLtSuccess, 1, {}};
  return *found ? kLtSuccess : kLtNotSupported;
}

LtResult cublasLtMatmul(LtHandle, LtMatmul matmul, const void *alpha, const void *a, LtLayout aLayout, const void *b,
                        LtLayout bLayout, const void *beta, const void *c, LtLayout cLayout, void *d, LtLayout dLayout,
                        const LtAlgorithm *, void *, size_t, Stream stream) {
  if (std::string why = misfit(*matmul, *aLayout, *bLayout, *cLayout, *dLayout); !why.empty())
    alarm("cublasLtMatmul: " + why);
  auto *product = new Product{
      *matmul, *aLayout, *bLayout, *cLayout, *dLayout, scalar(matmul->compute, alpha), scalar(matmul->compute, beta),
      a,       b,        c,        d}; // a graph may run it again
  return cuLaunchHostFunc(stream, run, product) == kSuccess ? kLtSuccess : kLtExecutionFailed;
}

} // extern "C"

#define FROE_CHECK_ENTRY(name, parameters)                                                                             \
  static_assert(std::is_same_v<decltype(::name), froe::cuda::types::name>, #name);
FROE_CUBLASLT_ENTRIES(FROE_CHECK_ENTRY)

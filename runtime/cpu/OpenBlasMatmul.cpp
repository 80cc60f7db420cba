#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Epilogue.h"
#include "runtime/cpu/MatmulBackend.h"
#include "runtime/cpu/SharedLibrary.h"

#include <algorithm>
#include <optional>

namespace froe::cpu {
namespace {

// CBLAS's own numbers; its header need not be installed.
constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

template <class T>
using Gemm = void(int order, int transA, int transB, int m, int n, int k, T alpha, const T *a, int lda, const T *b,
                  int ldb, T beta, T *c, int ldc);

struct OpenBlas {
  Gemm<float> *sgemm;
  Gemm<double> *dgemm;
};

/// Null if the library is missing. It runs on the caller's thread alone: threads are ours.
const OpenBlas *openBlas() {
  static const std::optional<OpenBlas> loaded = [] -> std::optional<OpenBlas> {
    SharedLibrary library{"libopenblas.so.0"};
    OpenBlas blas{};
    void (*setThreads)(int) = nullptr;
    if (!library.find("cblas_sgemm", blas.sgemm) || !library.find("cblas_dgemm", blas.dgemm) ||
        !library.find("openblas_set_num_threads", setThreads))
      return std::nullopt;
    setThreads(1);
    return blas;
  }();
  return loaded ? &*loaded : nullptr;
}

/// A matrix as BLAS sees it.
struct Operand {
  int transpose, stride;
};

std::optional<Operand> operandOf(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride) {
  auto fits = [](int64_t lines, int64_t length, int64_t line, int64_t step) {
    return (step == 1 || length == 1) && (line >= length || lines == 1) && line < INT32_MAX;
  };
  if (fits(rows, columns, rowStride, columnStride))
    return Operand{kNoTranspose, int(std::max<int64_t>(rowStride, columns))};
  if (fits(columns, rows, columnStride, rowStride))
    return Operand{kTranspose, int(std::max<int64_t>(columnStride, rows))};
  return std::nullopt;
}

class OpenBlasMatmul final : public MatmulBackend {
public:
  OpenBlasMatmul(const Product &product, Operand left, Operand right, Epilogue epilogue, int threads)
      : product(product), left(left), right(right), epilogue(std::move(epilogue)) {
    // The library rearranges b in every call, so blocks of rows have to be high, but what it wrote should still be
    // cached.
    rowsPerBlock = product.posts.empty() ? product.m : std::clamp<int64_t>((1 << 18) / product.n, 96, product.m);
    if (threads > 1)
      rowsPerBlock = std::min(rowsPerBlock, std::max<int64_t>((product.m + threads - 1) / threads, 32));
    rowsPerBlock = std::clamp<int64_t>(rowsPerBlock, 1, product.m);
    blocks = (product.m + rowsPerBlock - 1) / rowsPerBlock;
    columnParts = product.batchSize() * blocks >= threads ? 1 : std::min<int64_t>(threads, (product.n + 63) / 64);
    tasks = product.batchSize() * blocks * columnParts;
    pieceCount = std::min<int64_t>(threads, tasks);
  }

  const char *name() const override { return "openblas"; }
  int64_t pieces() const override { return pieceCount; }
  uint64_t scratchBytes() const override {
    return product.posts.empty() ? 0 : uint64_t(rowsPerBlock * product.n * bytesOf(product.type));
  }

  void run(int64_t piece, void *const *buffers) override {
    Range range = partOf(tasks, 1, pieceCount, piece);
    for (int64_t task = range.begin; task < range.end; ++task)
      if (product.type == FROE_F32)
        runTask<float>(openBlas()->sgemm, task, buffers);
      else
        runTask<double>(openBlas()->dgemm, task, buffers);
  }

private:
  template <class T> void runTask(Gemm<T> *gemm, int64_t task, void *const *buffers) {
    int64_t batch = task / columnParts / blocks;
    int64_t m = task / columnParts % blocks * rowsPerBlock, rows = std::min(rowsPerBlock, product.m - m);
    Range columns = partOf(product.n, 64, columnParts, task % columnParts);
    int64_t n = columns.begin, count = columns.end - columns.begin;
    int64_t matrix = product.weight ? product.k * product.n : 1;
    const T *a =
        static_cast<const T *>(buffers[product.aBuffer]) + batchOffset(product, product.a, batch) + m * product.a.m;
    const T *b = static_cast<const T *>(buffers[product.bBuffer]) + batchOffset(product, product.b, batch) * matrix +
                 n * (product.weight ? 1 : product.b.n);
    if (product.posts.empty()) {
      T *c = static_cast<T *>(buffers[2]) + batchOffset(product, product.c, batch) + m * product.c.m + n;
      return multiply(gemm, rows, count, a, b, c, std::max(product.c.m, product.n));
    }
    // Not into c, which may be the operand of a post as well.
    T *sums = static_cast<T *>(threadScratch(scratchBytes()));
    multiply(gemm, rows, count, a, b, sums, count);
    epilogue.finish({batch, m, rows, n, count, sums, count}, buffers);
  }

  template <class T>
  void multiply(Gemm<T> *gemm, int64_t rows, int64_t columns, const T *a, const T *b, T *c, int64_t cRow) {
    gemm(kRowMajor, left.transpose, right.transpose, int(rows), int(columns), int(product.k), T(1), a, left.stride, b,
         right.stride, T(0), c, int(cRow));
  }

  Product product;
  Operand left, right;
  Epilogue epilogue;
  int64_t rowsPerBlock, blocks, columnParts, tasks, pieceCount;
};

} // namespace

BackendOr prepareOpenBlas(const Product &product, const PanelLayout &layout, int threads) {
  if (!openBlas())
    return std::unexpected("OpenBLAS (libopenblas.so.0) is not installed");
  bool type = product.type == FROE_F32 || product.type == FROE_F64;
  bool sizes = std::max({product.m, product.n, product.k}) < INT32_MAX &&
               product.batchSize() * product.m * product.n > 0 && product.k > 0;
  bool result = product.c.n == 1 && (product.c.m >= product.n || product.m == 1);
  auto left = operandOf(product.m, product.k, product.a.m, product.a.n);
  auto right = product.weight ? operandOf(product.k, product.n, product.n, 1)
                              : operandOf(product.k, product.n, product.b.m, product.b.n);
  if (!type || !sizes || !result || layout.panel || !left || !right)
    return std::unexpected("OpenBLAS cannot do this matrix product");
  auto epilogue = Epilogue::prepare(product);
  if (!epilogue)
    return std::unexpected(epilogue.error());
  return std::make_unique<OpenBlasMatmul>(product, *left, *right, std::move(*epilogue), threads);
}

} // namespace froe::cpu

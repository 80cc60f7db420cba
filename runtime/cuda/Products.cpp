#include "runtime/cuda/Products.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace froe::cuda {

namespace {

constexpr int64_t kMostCalls = 64; // of one product; more are done by the kernel of the runtime

/// One batch dim, with the strides of a, b, c and of a residual.
struct Batch {
  int64_t count, a, b, c, residual;
};

/// A matrix in row-major terms: the dim that is contiguous decides whether cuBLASLt, which is column-major, sees it
/// transposed.
struct Matrix {
  bool fits = false, transposed = false;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
};

/// [outer][inner]: read as columns of `inner` elements, or, if outer is contiguous, as columns of `outer` elements.
Matrix matrixOf(int64_t outer, int64_t inner, int64_t outerStride, int64_t innerStride) {
  if ((innerStride == 1 || inner == 1) && (outerStride >= inner || outer == 1))
    return {true, false, uint64_t(inner), uint64_t(outer), std::max(outerStride, inner)};
  if ((outerStride == 1 || outer == 1) && (innerStride >= outer || inner == 1))
    return {true, true, uint64_t(outer), uint64_t(inner), std::max(innerStride, outer)};
  return {};
}

int64_t bytesOf(int32_t type) { return type == FROE_F64 ? 8 : type == FROE_F32 ? 4 : 2; }

std::optional<LtType> ltType(int32_t type) {
  switch (type) {
  case FROE_F32:
    return kLtF32;
  case FROE_F64:
    return kLtF64;
  case FROE_F16:
    return kLtF16;
  case FROE_BF16:
    return kLtBF16;
  }
  return std::nullopt;
}

bool allZero(const froe_matmul &p, const int64_t *strides) {
  return std::all_of(strides, strides + p.batch_rank, [](int64_t stride) { return stride == 0; });
}

/// The posts that cuBLASLt does: a scale, a bias and a residual in any order, an activation.
struct Epilogue {
  double scale = 1;
  int bias = -1, residual = -1; // posts
  int kind = kLtNone;
  int taken = 0;

  explicit Epilogue(const froe_matmul &p) {
    if (taken < p.post_count && p.posts[taken].kind == FROE_POST_SCALE)
      scale = double(p.posts[taken++].value);
    while (taken < p.post_count && takeAdd(p, p.posts[taken]))
      ++taken;
    if (taken < p.post_count && p.posts[taken].kind == FROE_POST_RELU)
      kind = kLtRelu, ++taken;
    else if (taken < p.post_count && p.posts[taken].kind == FROE_POST_GELU_TANH && p.type != FROE_F64)
      kind = kLtGelu, ++taken;
    if (bias >= 0)
      kind = kind == kLtNone ? int(kLtBias) : kind | kLtBias;
  }

private:
  bool takeAdd(const froe_matmul &p, const froe_post &post) {
    if (post.kind != FROE_POST_ADD)
      return false;
    if (bias < 0 && post.n_stride == 1 && post.m_stride == 0 && allZero(p, post.batch_stride) && p.type != FROE_F64)
      return bias = taken, true;
    bool whole = post.n_stride == p.c_n_stride && post.m_stride == p.c_m_stride;
    for (int d = 0; d < p.batch_rank; ++d)
      whole = whole && (post.batch_stride[d] == p.c_batch_stride[d] || p.batch[d] == 1);
    return residual < 0 && whole && (residual = taken, true);
  }
};

/// Batch dims, neighbours that are one dim in every operand merged; the innermost last.
std::vector<Batch> batchesOf(const froe_matmul &p) {
  std::vector<Batch> batches;
  for (int d = 0; d < p.batch_rank; ++d) {
    if (p.batch[d] == 1)
      continue;
    Batch next{p.batch[d], p.a_batch_stride[d], p.b_batch_stride[d], p.c_batch_stride[d], p.c_batch_stride[d]};
    if (!batches.empty()) {
      Batch &last = batches.back();
      if (last.a == next.a * next.count && last.b == next.b * next.count && last.c == next.c * next.count) {
        next.count *= last.count;
        last = next;
        continue;
      }
    }
    batches.push_back(next);
  }
  return batches;
}

/// A weight lies densely as [batch][k][n], whatever b's strides were; batch dims that b broadcasts are there once.
froe_matmul withDenseWeight(froe_matmul p) {
  p.b_n_stride = 1, p.b_k_stride = p.n;
  int64_t stride = p.k * p.n;
  for (int d = p.batch_rank; d-- > 0;)
    if (p.b_batch_stride[d] != 0) {
      p.b_batch_stride[d] = stride;
      stride *= p.batch[d];
    }
  return p;
}

} // namespace

struct Products::Plan {
  Plan(const froe_matmul &matmul) : epilogue(matmul), batches(batchesOf(matmul)) {}

  bool usesLibrary = false;
  Epilogue epilogue;
  std::vector<Batch> batches;
  int64_t calls = 1;
  LtMatmul matmul = nullptr;
  LtLayout left = nullptr, right = nullptr, result = nullptr; // cuBLASLt's A is our b
  LtAlgorithm algorithm{};
  size_t workspaceBytes = 0;
};

Products::Products(Gpu &gpu) : gpu(gpu) {}

Products::~Products() {
  for (auto &[step, plan] : plans) {
    if (!plan->matmul)
      continue;
    library->cublasLtMatmulDescDestroy(plan->matmul);
    for (LtLayout layout : {plan->left, plan->right, plan->result})
      library->cublasLtMatrixLayoutDestroy(layout);
  }
  if (handle)
    library->cublasLtDestroy(handle);
}

/// Only if the program has a product: the library takes a third of a second to load.
void Products::loadLibrary() {
  looked = true;
  auto loaded = loadCublasLt();
  if (loaded && loaded->cublasLtCreate(&handle) == kLtSuccess)
    library = *loaded;
  else if (gpu.host.rank == 0)
    std::fprintf(stderr, "note: matrix products run on a slow kernel of Froe's own: %s\n",
                 loaded ? "cuBLASLt does not start" : loaded.error().c_str());
}

bool Products::prepare(Plan &plan, const froe_matmul &p) {
  std::optional<LtType> type = ltType(p.type), resultType = ltType(p.c_type);
  Matrix left = matrixOf(p.k, p.n, p.b_k_stride, p.b_n_stride);
  Matrix right = matrixOf(p.m, p.k, p.a_m_stride, p.a_k_stride);
  Matrix result = matrixOf(p.m, p.n, p.c_m_stride, p.c_n_stride);
  for (size_t d = 0; d + 1 < plan.batches.size(); ++d)
    plan.calls *= plan.batches[d].count;
  if (!type || !resultType || !left.fits || !right.fits || !result.fits || result.transposed || p.k == 0 ||
      plan.calls > kMostCalls)
    return false;
  bool isDouble = p.type == FROE_F64;
  LtCompute compute = isDouble ? kLtCompute64F : p.tf32 ? kLtComputeTF32 : kLtCompute32F;
  library->cublasLtMatmulDescCreate(&plan.matmul, compute, isDouble ? kLtF64 : kLtF32);
  auto set = [&](LtMatmulAttribute name, int32_t value) {
    library->cublasLtMatmulDescSetAttribute(plan.matmul, name, &value, sizeof value);
  };
  set(kLtTransA, left.transposed ? kLtTransposed : kLtPlain);
  set(kLtTransB, right.transposed ? kLtTransposed : kLtPlain);
  set(kLtEpilogue, plan.epilogue.kind);
  auto layout = [&](LtLayout &made, LtType of, const Matrix &matrix, int64_t Batch::*stride) {
    library->cublasLtMatrixLayoutCreate(&made, of, matrix.rows, matrix.columns, matrix.leading);
    if (plan.batches.empty())
      return;
    auto count = int32_t(plan.batches.back().count);
    int64_t elements = plan.batches.back().*stride;
    library->cublasLtMatrixLayoutSetAttribute(made, kLtBatchCount, &count, sizeof count);
    library->cublasLtMatrixLayoutSetAttribute(made, kLtBatchStride, &elements, sizeof elements);
  };
  layout(plan.left, *type, left, &Batch::b);
  layout(plan.right, *type, right, &Batch::a);
  layout(plan.result, *resultType, result, &Batch::c);

  LtPreference preference = nullptr;
  uint64_t most = Gpu::kWorkspaceBytes;
  library->cublasLtMatmulPreferenceCreate(&preference);
  library->cublasLtMatmulPreferenceSetAttribute(preference, kLtMaxWorkspaceBytes, &most, sizeof most);
  LtHeuristic heuristic{};
  int found = 0;
  LtResult asked = library->cublasLtMatmulAlgoGetHeuristic(handle, plan.matmul, plan.left, plan.right, plan.result,
                                                           plan.result, preference, 1, &heuristic, &found);
  library->cublasLtMatmulPreferenceDestroy(preference);
  if (asked != kLtSuccess || found == 0 || heuristic.state != kLtSuccess)
    return false;
  plan.algorithm = heuristic.algorithm;
  plan.workspaceBytes = heuristic.workspaceBytes;
  if (plan.workspaceBytes != 0)
    gpu.needWorkspace();
  return true;
}

Products::Plan &Products::planOf(int32_t step, const froe_matmul &matmul) {
  std::unique_ptr<Plan> &plan = plans[step];
  if (!plan) {
    if (!looked)
      loadLibrary();
    plan = std::make_unique<Plan>(matmul);
    plan->usesLibrary = library && prepare(*plan, matmul);
  }
  return *plan;
}

void Products::call(const Plan &plan, const froe_matmul &p, void *const *buffers) {
  const Epilogue &epilogue = plan.epilogue;
  double alpha = epilogue.scale, beta = epilogue.residual >= 0 ? 1 : 0;
  float alphaFloat = float(alpha), betaFloat = float(beta);
  if (epilogue.bias >= 0) {
    const void *bias = buffers[p.posts[epilogue.bias].buffer];
    library->cublasLtMatmulDescSetAttribute(plan.matmul, kLtBiasPointer, &bias, sizeof bias);
  }
  bool isDouble = p.type == FROE_F64;
  const void *residual = epilogue.residual >= 0 ? buffers[p.posts[epilogue.residual].buffer] : buffers[2];
  for (int64_t index = 0; index < plan.calls; ++index) {
    int64_t a = 0, b = 0, c = 0, rest = index;
    for (size_t d = plan.batches.size(); d-- > 1;) {
      const Batch &batch = plan.batches[d - 1];
      int64_t at = rest % batch.count;
      rest /= batch.count;
      a += at * batch.a, b += at * batch.b, c += at * batch.c;
    }
    auto at = [](const void *base, int64_t element, int32_t type) {
      return static_cast<std::byte *>(const_cast<void *>(base)) + element * bytesOf(type);
    };
    LtResult result = library->cublasLtMatmul(
        handle, plan.matmul, isDouble ? static_cast<const void *>(&alpha) : &alphaFloat, at(buffers[1], b, p.type),
        plan.left, at(buffers[0], a, p.type), plan.right, isDouble ? static_cast<const void *>(&beta) : &betaFloat,
        at(residual, c, p.c_type), plan.result, at(buffers[2], c, p.c_type), plan.result, &plan.algorithm,
        reinterpret_cast<void *>(gpu.workspace()), plan.workspaceBytes, gpu.compute);
    if (result != kLtSuccess)
      gpu.fail(4, fmt::format("rank {}: cuBLASLt error {} in a matrix product", gpu.host.rank, int(result)));
  }
}

void Products::multiply(int32_t step, const froe_matmul &matmul, void *const *buffers) {
  froe_matmul p = matmul.weight >= 0 ? withDenseWeight(matmul) : matmul;
  int64_t elements = p.m * p.n;
  for (int d = 0; d < p.batch_rank; ++d)
    elements *= p.batch[d];
  if (elements == 0)
    return;
  Plan &plan = planOf(step, p);
  std::vector<void *> all(buffers, buffers + 3);
  if (p.weight >= 0)
    all[1] = reinterpret_cast<void *>(gpu.weight(p.weight));
  for (int32_t i = 0; i < p.post_count; ++i)
    if (p.posts[i].kind == FROE_POST_ADD || p.posts[i].kind == FROE_POST_MUL) {
      all.resize(std::max(all.size(), size_t(p.posts[i].buffer) + 1));
      all[size_t(p.posts[i].buffer)] = buffers[p.posts[i].buffer];
    }
  if (plan.usesLibrary && !gpu.learning())
    call(plan, p, all.data());
  int first = plan.usesLibrary ? plan.epilogue.taken : 0;
  if (plan.usesLibrary && first == p.post_count)
    return;
  MatmulArguments arguments{};
  arguments.matmul = gpu.keep(&p, sizeof p, gpu.compute);
  for (size_t i = 0; i < all.size(); ++i)
    arguments.buffers[i] = Address(all[i]);
  arguments.multiply = !plan.usesLibrary, arguments.first = first;
  gpu.launchBuiltIn(BuiltIn::Matmul, &arguments, sizeof arguments, elements, gpu.compute);
}

} // namespace froe::cuda

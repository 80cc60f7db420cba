#include "runtime/cpu/MatmulStep.h"

#include "runtime/core/Context.h"
#include "runtime/cpu/Matmul.h"

namespace {

using froe::cpu::Matmul;
using froe::cpu::StoredWeight;

struct MatmulCache final : froe::rt::StepCache {
  std::unique_ptr<Matmul> matmul;
};

Matmul &prepared(froe_rt &rt, int32_t step, const froe_matmul &descriptor) {
  std::unique_ptr<froe::rt::StepCache> &slot = rt.stepCache[size_t(step)];
  if (!slot) {
    StoredWeight weight{};
    if (descriptor.weight >= 0)
      weight = {rt.weights[descriptor.weight].data, rt.weights[descriptor.weight].packing};
    auto matmul = Matmul::prepare(descriptor, rt.pool->size(), descriptor.weight >= 0 ? &weight : nullptr);
    if (!matmul)
      froe::rt::fail(rt, 3, matmul.error());
    auto cache = std::make_unique<MatmulCache>();
    cache->matmul = std::move(*matmul);
    slot = std::move(cache);
  }
  return *static_cast<MatmulCache &>(*slot).matmul;
}

} // namespace

void froe::cpu::runMatmul(froe_rt &rt, int32_t step, const froe_matmul &matmul, void *const *buffers) {
  Matmul &product = prepared(rt, step, matmul);
  rt.pool->run(product.pieces(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      product.run(piece, buffers);
  });
}

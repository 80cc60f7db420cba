#include "runtime/cpu/MatmulChoice.h"

#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Epilogue.h"
#include "runtime/cpu/PackedWeights.h"
#include "runtime/cpu/TileKernel.h"

#include <cstdlib>
#include <string_view>

namespace froe::cpu {
namespace {

// Up to here a product waits for its weight's way from memory; our kernel, which prefetches across pages and pads
// nothing, is then ahead of oneDNN's (measured by test/Bench/matmul). With halves oneDNN has instructions of its own.
constexpr int64_t kSkinnyRows = 64, kSkinnyHalfRows = 8;

// Panels of narrower weights would mostly be padding.
constexpr int64_t kNarrowColumns = 32;

std::string_view preferredBackend() {
  const char *text = std::getenv("FROE_MATMUL_BACKEND");
  return text ? text : "";
}

bool isReal(froe_type type) { return type == FROE_F32 || type == FROE_F16 || type == FROE_BF16; }

bool isSkinny(const Product &product) {
  return product.m <= (product.type == FROE_F32 ? kSkinnyRows : kSkinnyHalfRows);
}

std::string tiledPacking(froe_type type, Isa target) {
  return isReal(type) ? "panel" + std::to_string(tileRowBytes(target) / int(sizeof(float))) : "plain";
}

std::string chooseTag(const Product &product, Isa target) {
  std::string_view preferred = preferredBackend();
  if (preferred == "openblas" || !isReal(product.type) || product.n < kNarrowColumns)
    return "plain";
  if (preferred == "tiled" || isSkinny(product) || target != isa())
    return tiledPacking(product.type, target);
  std::string tag = oneDnnPacking(product);
  // Panels that only oneDNN reads are no use where it cannot do what follows the product.
  if (tag != "plain" && !oneDnnIsFast(product, *panelLayout(tag, product.k, product.n)))
    tag = "plain";
  return tag != "plain" || preferred == "onednn" ? tag : tiledPacking(product.type, target);
}

BackendOr firstOf(std::initializer_list<BackendOr (*)(const Product &, const PanelLayout &, int)> order,
                  const Product &product, const PanelLayout &layout, int threads) {
  BackendOr result = std::unexpected(std::string());
  for (auto prepare : order)
    if ((result = prepare(product, layout, threads)))
      return result;
  return result;
}

BackendOr oneDnnIfFast(const Product &product, const PanelLayout &layout, int threads) {
  return prepareOneDnn(product, layout, threads, true);
}
BackendOr oneDnnAnyway(const Product &product, const PanelLayout &layout, int threads) {
  return prepareOneDnn(product, layout, threads, false);
}
BackendOr tiled(const Product &product, const PanelLayout &layout, int threads) {
  if (product.weight && !tiledReads(product.type, layout))
    return std::unexpected(std::string("the weight's panels are not those of our kernels"));
  return prepareTiled(product, layout, threads);
}

} // namespace

Packing choosePacking(const froe_matmul &matmul, Isa target) {
  std::string tag = matmul.k * matmul.n == 0 ? "plain" : chooseTag(normalize(matmul), target);
  return *packingFromTag(matmul, tag);
}

BackendOr chooseBackend(const Product &product, const PanelLayout &layout, int threads) {
  if (auto posts = Epilogue::prepare(product); !posts)
    return std::unexpected(posts.error());
  std::string_view preferred = preferredBackend();
  if (preferred == "tiled" || product.batchSize() * product.m * product.n == 0)
    return tiled(product, layout, threads);
  if (preferred == "openblas")
    return firstOf({prepareOpenBlas, tiled}, product, layout, threads);
  if (preferred == "onednn")
    return firstOf({oneDnnAnyway, tiled}, product, layout, threads);
  // Never by a measurement at run time: ranks that hold copies of a value must compute it with the same kernel.
  // OpenBLAS is no faster than our tiles where it knows the processor (32-byte vectors), and four times slower where it
  // does not.
  // Where nothing is packed beforehand, oneDNN copies both sides as it needs them, and is one and a half times as fast.
  if (!product.weight && product.type == FROE_F32)
    return firstOf({oneDnnAnyway, tiled}, product, layout, threads);
  if (isSkinny(product))
    return firstOf({tiled, oneDnnAnyway}, product, layout, threads);
  return firstOf({oneDnnIfFast, tiled, oneDnnAnyway}, product, layout, threads);
}

} // namespace froe::cpu

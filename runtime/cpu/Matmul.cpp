#include "runtime/cpu/Matmul.h"

#include "runtime/cpu/MatmulBackend.h"
#include "runtime/cpu/MatmulChoice.h"
#include "runtime/cpu/PackedWeights.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace froe::cpu {
namespace {

using Memory = std::unique_ptr<void, void (*)(void *)>;

/// In huge pages as far as it fills them: a weight that is read from memory gains up to a third by fewer page walks.
Memory allocate(uint64_t bytes) {
  constexpr uint64_t kHugePage = 2 << 20;
  uint64_t alignment = bytes >= kHugePage ? kHugePage : 64;
  Memory memory(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment), std::free);
  if (!memory && bytes)
    throw std::bad_alloc();
  if (bytes >= kHugePage)
    madvise(memory.get(), bytes / kHugePage * kHugePage, MADV_HUGEPAGE); // a wish
  return memory;
}

Memory repack(const froe_matmul &matmul, const Packing &from, const void *stored, const Packing &to) {
  Memory packed = allocate(to.bytes);
  repackWeight(matmul, from, stored, to, packed.get());
  return packed;
}

} // namespace

Matmul::Matmul() : repacked(nullptr, std::free) {}
Matmul::~Matmul() = default;

std::expected<std::unique_ptr<Matmul>, std::string> Matmul::prepare(const froe_matmul &matmul, int threads,
                                                                    const StoredWeight *weight) {
  Product product = normalize(matmul);
  std::unique_ptr<Matmul> prepared(new Matmul);
  for (const Post &post : product.posts)
    prepared->bufferCount = std::max(prepared->bufferCount, post.buffer + 1);
  PanelLayout layout{.k = matmul.k, .n = matmul.n};
  if (weight) {
    auto stored = packingFromTag(matmul, weight->packing);
    if (!stored)
      return std::unexpected(stored.error());
    Packing wanted = choosePacking(matmul);
    layout = *panelLayout(wanted.tag, matmul.k, matmul.n);
    prepared->weight = const_cast<void *>(weight->data); // `buffers` has no const pointers
    if (wanted.tag != stored->tag) {
      prepared->repacked = repack(matmul, *stored, weight->data, wanted);
      prepared->repackedSize = wanted.bytes;
      prepared->weight = prepared->repacked.get();
    }
  }
  auto implementation = chooseBackend(product, layout, threads);
  if (!implementation)
    return std::unexpected(implementation.error());
  prepared->implementation = std::move(*implementation);
  return prepared;
}

int64_t Matmul::pieces() const { return implementation ? implementation->pieces() : 0; }

void Matmul::run(int64_t piece, void *const *buffers) {
  if (!weight)
    return implementation->run(piece, buffers);
  void *replaced[3 + FROE_MAX_POSTS];
  std::copy_n(buffers, bufferCount, replaced);
  replaced[1] = weight;
  implementation->run(piece, replaced);
}

void Matmul::run(void *const *buffers) {
  for (int64_t piece = 0; piece < pieces(); ++piece)
    run(piece, buffers);
}

const char *Matmul::backend() const { return implementation ? implementation->name() : "none"; }
uint64_t Matmul::scratchBytes() const { return implementation ? implementation->scratchBytes() : 0; }

} // namespace froe::cpu

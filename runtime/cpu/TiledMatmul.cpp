#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Epilogue.h"
#include "runtime/cpu/MatmulBackend.h"
#include "runtime/cpu/TileKernel.h"
#include "runtime/cpu/Transpose.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace froe::cpu {
namespace {

// Blocks of b (kDepth x 64 words: in the second-level cache) are reread by every row block, while sums wait (kRows x 64
// words). The rows of a that all columns of b meet (kLeftBytes) stay there as well.
constexpr int64_t kDepth = 384, kRows = 240, kLeftBytes = 1 << 20;
// With few rows the time is b's way from memory. Up to kMaxTileRows b is read straight through; up to kFewRows in
// blocks of at most kFewRowsBytes and kFewRowsDepth, which leave room in the first-level cache for the next one to
// arrive while the current one is reread.
constexpr int64_t kFewRows = 128, kFewRowsBytes = 32 << 10, kFewRowsDepth = 256;
constexpr int64_t kStreamDepth = 4096, kStreamAhead = 8192, kCachedAhead = 3072;
// Where b is copied, a task has as many tiles side by side as hold rows of so many bytes: rows of b and c are met in
// longer runs, which memory and its prefetchers are made for.
constexpr int64_t kRunBytes = 256;

/// Words that a kernel can read as they are, as sums, even where the stored type is signed.
template <class E> inline constexpr bool kReadsAsSum = sizeof(E) == sizeof(Sum<E>);
/// Halves are widened in registers, which a weight read from memory gains from.
template <class E> inline constexpr bool kWidens = std::is_same_v<E, Half> || std::is_same_v<E, BFloat>;

template <class E> class TiledMatmul final : public MatmulBackend {
  using S = Sum<E>;
  using Stored = std::conditional_t<kWidens<E>, E, S>;

public:
  TiledMatmul(const Product &product, const PanelLayout &layout, Epilogue epilogue, int threads)
      : product(product), layout(layout), epilogue(std::move(epilogue)), width(tileKernels<S, S>().width) {
    int64_t most = std::clamp<int64_t>(kLeftBytes / (std::max<int64_t>(product.k, 1) * int64_t(sizeof(S))), 48, kRows);
    chunks = (product.m + most - 1) / most;
    rowsPerChunk = (product.m + chunks - 1) / chunks;
    depth = product.m <= kMaxTileRows ? std::min(product.k, kStreamDepth)
            : product.m <= kFewRows   ? std::min(kFewRowsBytes / (width * int64_t(sizeof(S))), kFewRowsDepth)
                                      : kDepth;
    readsInPlace = (product.weight && layout.panel) || rowsPerChunk <= 2 * kMaxTileRows;
    int64_t tiles = (product.n + width - 1) / width, perThread = product.batchSize() * chunks * tiles / threads;
    int64_t together = std::min(kRunBytes / (width * int64_t(sizeof(S))), perThread);
    sumsRow = readsInPlace ? width : std::max<int64_t>(together, 1) * width;
    groups = (product.n + sumsRow - 1) / sumsRow;
    tasks = product.batchSize() * chunks * groups;
    pieceCount = std::min<int64_t>(threads, tasks);
    // Rows of a that lie a multiple of this apart compete for few sets of the first-level cache.
    constexpr int64_t kConflictBytes = 1024;
    bool conflicts = product.a.m * int64_t(sizeof(S)) % kConflictBytes == 0;
    copiesLeft = !kReadsAsSum<E> || (conflicts && product.m > kMaxTileRows && product.n > width);
    leftRow = product.k + 64 / int64_t(sizeof(S));
    usesDots = std::is_same_v<E, float> && !product.weight && product.b.m == 1 && product.b.n != 1 &&
               product.a.n == 1 && product.m <= 4 && product.n > 1;
  }

  const char *name() const override { return "tiled"; }
  int64_t pieces() const override { return pieceCount; }
  uint64_t scratchBytes() const override { return (sumsWords() + blockWords() + leftWords()) * sizeof(S); }

  void run(int64_t piece, void *const *buffers) override {
    S *scratch = static_cast<S *>(threadScratch(scratchBytes()));
    Work work{buffers, scratch, scratch + sumsWords(), scratch + sumsWords() + blockWords()};
    Range range = partOf(tasks, 1, pieceCount, piece);
    for (int64_t task = range.begin; task < range.end; ++task)
      runTask(task, task == range.begin || task % groups == 0, work);
  }

private:
  /// What the tasks of one piece share.
  struct Work {
    void *const *buffers;
    S *sums, *block, *leftCopy;
    const S *left = nullptr; /* rows of a, of the current chunk */
    int64_t leftRow = 0, leftStep = 0;
  };
  struct Place {
    int64_t batch, m, rows, n, columns;
  };

  uint64_t sumsWords() const { return uint64_t(rowsPerChunk * sumsRow); }
  uint64_t blockWords() const { return uint64_t(depth * sumsRow); }
  uint64_t leftWords() const { return copiesLeft ? uint64_t(rowsPerChunk * leftRow) : 0; }

  void runTask(int64_t task, bool newChunk, Work &work) {
    int64_t group = task % groups, chunk = task / groups % chunks;
    Place place{task / groups / chunks, chunk * rowsPerChunk, 0, group * sumsRow, 0};
    place.rows = std::min(rowsPerChunk, product.m - place.m);
    place.columns = std::min(sumsRow, product.n - place.n);
    if (newChunk)
      loadLeft(place, work);
    if constexpr (std::is_same_v<E, float>)
      if (usesDots)
        return runDots(place, work);
    for (int64_t k = 0; k == 0 || k < product.k; k += std::max<int64_t>(depth, 1))
      runBlock(place, k, std::min(depth, product.k - k), work);
  }

  void loadLeft(const Place &place, Work &work) {
    const E *a = static_cast<const E *>(work.buffers[product.aBuffer]) + batchOffset(product, product.a, place.batch) +
                 place.m * product.a.m;
    if constexpr (kReadsAsSum<E>)
      if (!copiesLeft) {
        work.left = reinterpret_cast<const S *>(a);
        work.leftRow = product.a.m;
        work.leftStep = product.a.n;
        return;
      }
    for (int64_t m = 0; m < place.rows; ++m)
      for (int64_t k = 0; k < product.k; ++k)
        work.leftCopy[m * leftRow + k] = load(a[m * product.a.m + k * product.a.n]);
    work.left = work.leftCopy;
    work.leftRow = leftRow;
    work.leftStep = 1;
  }

  void runDots(const Place &place, Work &work) {
    const float *b = static_cast<const float *>(work.buffers[product.bBuffer]) +
                     batchOffset(product, product.b, place.batch) + place.n * product.b.n;
    dotKernel()(reinterpret_cast<const float *>(work.left), work.leftRow, b, product.b.n, product.k, place.rows,
                place.columns, reinterpret_cast<float *>(work.sums), width);
    epilogue.finish({place.batch, place.m, place.rows, place.n, place.columns, work.sums, width}, work.buffers);
  }

  int64_t tilesOf(const Place &place) const { return (place.columns + width - 1) / width; }

  /// Steps [k, k + steps) of one task.
  void runBlock(const Place &place, int64_t k, int64_t steps, Work &work) {
    const E *b = static_cast<const E *>(work.buffers[product.bBuffer]);
    if (product.weight && layout.panel) {
      b += batchOffset(product, product.b, place.batch) * int64_t(layout.bytes(1, 1)) + layout.place(k, place.n);
      return readStored(place, k, steps, b, layout.panel, work);
    }
    int64_t kStride = product.weight ? product.n : product.b.m, nStride = product.weight ? 1 : product.b.n;
    int64_t matrix = product.weight ? product.n * product.k : 1;
    b += batchOffset(product, product.b, place.batch) * matrix + k * kStride + place.n * nStride;
    // Rows far apart share few sets of the first-level cache: where they are read again and again, a copy pays.
    if (nStride == 1 && place.columns == width && readsInPlace && (kReadsAsSum<E> || kWidens<E>))
      return readStored(place, k, steps, b, kStride, work);
    copyTiles(b, kStride, nStride, steps, place.columns, work.block);
    for (int64_t tile = 0; tile < tilesOf(place); ++tile)
      multiply<S>(place, tile, k, steps, work.block + tile * steps * width, width, work);
  }

  void readStored(const Place &place, int64_t k, int64_t steps, const E *b, int64_t bStep, Work &work) {
    if constexpr (kReadsAsSum<E> || kWidens<E>) {
      multiply<Stored>(place, 0, k, steps, reinterpret_cast<const Stored *>(b), bStep, work);
    } else {
      copyTiles(b, bStep, 1, steps, place.columns, work.block);
      multiply<S>(place, 0, k, steps, work.block, width, work);
    }
  }

  /// Tiles one behind the other, each [steps][width].
  void copyTiles(const E *b, int64_t kStride, int64_t nStride, int64_t steps, int64_t columns, S *block) {
    if constexpr (kReadsAsSum<E> && sizeof(E) == 4)
      if (kStride == 1) {
        for (; columns >= width; columns -= width, b += width * nStride, block += steps * width)
          transposeWords(b, nStride, width, steps, block, width);
        if (columns == 0)
          return;
      }
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t first = 0; first < columns; first += width) {
        S *row = block + first * steps + k * width;
        const E *from = b + k * kStride + first * nStride;
        int64_t count = std::min<int64_t>(width, columns - first);
        if (kReadsAsSum<E> && nStride == 1)
          std::memcpy(row, from, size_t(count) * sizeof(S));
        else
          for (int64_t n = 0; n < count; ++n)
            row[n] = load(from[n * nStride]);
        std::fill(row + count, row + width, S(0));
      }
  }

  /// One tile of a task; rows that are complete with the last one are finished, in all tiles.
  template <class B>
  void multiply(const Place &place, int64_t tile, int64_t k, int64_t steps, const B *b, int64_t bStep, Work &work) {
    const TileKernels<S, B> &kernels = tileKernels<S, B>();
    int64_t blocks = (place.rows + kMaxTileRows - 1) / kMaxTileRows;
    for (int64_t block = 0; block < blocks; ++block) {
      Range rows = partOf(place.rows, 1, blocks, block);
      int64_t count = rows.end - rows.begin;
      S *sums = work.sums + rows.begin * sumsRow + tile * width;
      kernels.run[count](work.left + rows.begin * work.leftRow + k * work.leftStep, work.leftRow, work.leftStep, b,
                         bStep, steps, sums, sumsRow, k > 0, prefetchFor(b, bStep, steps, blocks, block));
      if (k + steps == product.k && tile + 1 == tilesOf(place))
        epilogue.finish({place.batch, place.m + rows.begin, count, place.n, place.columns,
                         work.sums + rows.begin * sumsRow, sumsRow},
                        work.buffers);
    }
  }

  /// What a row block prefetches: b itself some way ahead, or, where few rows share a block of b, their part of the
  /// next one, so that memory is busy all the time.
  template <class B>
  Prefetch prefetchFor(const B *b, int64_t bStep, int64_t steps, int64_t blocks, int64_t block) const {
    const char *here = reinterpret_cast<const char *>(b);
    int64_t stepBytes = bStep * int64_t(sizeof(B));
    if (blocks == 1)
      return {here + kStreamAhead * bStep / width, stepBytes};
    if (product.m > kFewRows)
      return {here + kCachedAhead, stepBytes};
    int64_t lines = (steps * stepBytes + 63) / 64, perStep = 64 * ((lines + blocks * steps - 1) / (blocks * steps));
    return {here + steps * stepBytes + block * steps * perStep, perStep};
  }

  Product product;
  PanelLayout layout;
  Epilogue epilogue;
  int64_t width, depth, rowsPerChunk, chunks, sumsRow, groups, tasks, pieceCount;
  int64_t leftRow; /* words between rows of a's copy: a cache line more than they have */
  bool copiesLeft, usesDots, readsInPlace;
};

int64_t tileWidth(froe_type type) {
  return withElementOf(type, [](auto element) -> int64_t {
    using S = Sum<decltype(element)>;
    return tileKernels<S, S>().width;
  });
}

} // namespace

bool tiledReads(froe_type type, const PanelLayout &layout) {
  return !layout.pairs && layout.panel % tileWidth(type) == 0;
}

BackendOr prepareTiled(const Product &product, const PanelLayout &layout, int threads) {
  auto epilogue = Epilogue::prepare(product);
  if (!epilogue)
    return std::unexpected(epilogue.error());
  if (product.batchSize() * product.m * product.n == 0)
    return nullptr;
  return withElementOf(product.type, [&](auto element) -> BackendOr {
    return std::make_unique<TiledMatmul<decltype(element)>>(product, layout, std::move(*epilogue), threads);
  });
}

} // namespace froe::cpu

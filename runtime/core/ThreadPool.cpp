#include "runtime/core/ThreadPool.h"

#include "runtime/core/Wait.h"

#include <algorithm>

namespace froe::rt {

namespace {
constexpr int64_t kSleepNanoseconds = 1'000'000'000;
constexpr int64_t kPiecesPerThread = 4; // evens out threads that the system slowed down
} // namespace

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i)
    workers.emplace_back([this] { workerLoop(); });
}

ThreadPool::~ThreadPool() {
  stopping = true;
  generation.fetch_add(1);
  wakeSleepers(generation, generationSleepers, false);
  for (std::thread &worker : workers)
    worker.join();
}

int64_t ThreadPool::pieceCount(int64_t extent, int64_t grain) const {
  if (extent <= 0)
    return 0;
  if (workers.empty())
    return 1;
  int64_t most = extent / std::max<int64_t>(grain, 1);
  if (most <= 1)
    return 1;
  return most <= size() ? most : std::min(most, size() * kPiecesPerThread);
}

void ThreadPool::runPieces(const Work &work) {
  current = work;
  nextPiece.store(0, std::memory_order_relaxed);
  busy.store(uint32_t(workers.size()), std::memory_order_relaxed);
  uint32_t before = doneGeneration.load(std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_seq_cst);
  wakeSleepers(generation, generationSleepers, false);
  takePieces();
  waitWhileEqual(doneGeneration, before, doneSleepers, false, kSleepNanoseconds, [] {});
}

void ThreadPool::takePieces() {
  Work work = current;
  for (;;) {
    int64_t piece = nextPiece.fetch_add(1, std::memory_order_relaxed);
    if (piece >= work.pieces)
      return;
    int64_t begin = work.extent / work.pieces * piece + std::min(piece, work.extent % work.pieces);
    int64_t size = work.extent / work.pieces + (piece < work.extent % work.pieces);
    work.call(work.body, begin, begin + size);
  }
}

void ThreadPool::workerLoop() {
  for (uint32_t seen = 0;;) {
    waitWhileEqual(generation, seen, generationSleepers, false, kSleepNanoseconds, [] {});
    seen = generation.load(std::memory_order_acquire);
    if (stopping)
      return;
    takePieces();
    if (busy.fetch_sub(1, std::memory_order_acq_rel) != 1)
      continue;
    doneGeneration.fetch_add(1, std::memory_order_seq_cst);
    wakeSleepers(doneGeneration, doneSleepers, false);
  }
}

} // namespace froe::rt

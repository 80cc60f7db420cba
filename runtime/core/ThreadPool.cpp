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
  started.fetch_add(1);
  wakeSleepers(started, startSleepers, false);
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
  completed.store(0, std::memory_order_relaxed);
  uint32_t number = started.load(std::memory_order_relaxed) + 1;
  uint32_t before = finished.load(std::memory_order_relaxed);
  unclaimed.store(uint64_t(number) << 32 | uint64_t(work.pieces), std::memory_order_release);
  started.store(number, std::memory_order_seq_cst);
  wakeSleepers(started, startSleepers, false);
  takePieces(number);
  waitWhileEqual(finished, before, finishSleepers, false, kSleepNanoseconds, [] {});
}

void ThreadPool::takePieces(uint32_t number) {
  uint64_t seen = unclaimed.load(std::memory_order_acquire);
  while (seen >> 32 == number && uint32_t(seen) != 0) {
    if (!unclaimed.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    const Work work = current;
    int64_t piece = work.pieces - int64_t(uint32_t(seen)), rest = work.extent % work.pieces;
    int64_t begin = work.extent / work.pieces * piece + std::min(piece, rest);
    work.call(work.body, begin, begin + work.extent / work.pieces + (piece < rest));
    if (completed.fetch_add(1, std::memory_order_acq_rel) + 1 == work.pieces) {
      finished.fetch_add(1, std::memory_order_seq_cst);
      wakeSleepers(finished, finishSleepers, false);
    }
    seen = unclaimed.load(std::memory_order_acquire);
  }
}

void ThreadPool::workerLoop() {
  for (uint32_t seen = 0;;) {
    waitWhileEqual(started, seen, startSleepers, false, kSleepNanoseconds, [] {});
    seen = started.load(std::memory_order_acquire);
    if (stopping)
      return;
    takePieces(seen);
  }
}

} // namespace froe::rt

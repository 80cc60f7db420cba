// The threads of one rank. They belong to nobody else: libraries are called single-threaded, piece by piece.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace froe::rt {

/// `threads` threads, of which the caller of `run` is one. Not reentrant: a body must not call `run` of its own pool.
class ThreadPool {
public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int size() const { return int(workers.size()) + 1; }

  /// Calls `body(begin, end)` on pieces that together cover [0, extent) once each, on all threads, and returns when all
  /// are done. No piece is smaller than `grain`, unless extent is. What the bodies wrote is visible afterwards.
  template <typename Body> void run(int64_t extent, int64_t grain, Body &&body) {
    int64_t pieces = pieceCount(extent, grain);
    if (pieces == 0)
      return;
    if (pieces == 1)
      return void(body(int64_t(0), extent));
    runPieces(
        {&body,
         [](void *b, int64_t begin, int64_t end) { (*static_cast<std::remove_reference_t<Body> *>(b))(begin, end); },
         extent, pieces});
  }

  /// How many pieces `run` makes; 0 if extent is 0.
  int64_t pieceCount(int64_t extent, int64_t grain) const;

private:
  struct Work {
    void *body = nullptr;
    void (*call)(void *body, int64_t begin, int64_t end) = nullptr;
    int64_t extent = 0, pieces = 0;
  };

  void runPieces(const Work &work);
  void takePieces(uint32_t number);
  void workerLoop();

  Work current; // stable while any of its pieces is claimed and not done
  /// The number of the current work, and, in the low half, how many of its pieces nobody has claimed yet: a worker that
  /// wakes late finds another number or nothing left, and `run` need not wait for it.
  alignas(64) std::atomic<uint64_t> unclaimed{0};
  alignas(64) std::atomic<int64_t> completed{0}; // pieces
  alignas(64) std::atomic<uint32_t> started{0};  // works
  std::atomic<uint32_t> startSleepers{0};
  alignas(64) std::atomic<uint32_t> finished{0};
  std::atomic<uint32_t> finishSleepers{0};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> workers;
};

} // namespace froe::rt

#include "simt.h"

#include "Context.h"
#include "WarpProduct.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr uint32_t kWarp = 32;

enum class State { Ready, AtBarrier, AtShuffle, AtProduct, Done };

struct Fiber {
  Context context;
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  State state = State::Done;
  int32_t site = 0, distance = 0, value = 0, result = 0;
  WarpProduct::Share *share = nullptr; ///< of the product that it waits for
};

/// Of one byte of shared memory: who touched it last, and after how many barriers.
struct Shadow {
  uint32_t writer = 0, reader = 0; ///< thread + 1; 0: nobody
  uint32_t written = 0, read = 0;
};

struct Shared {
  std::vector<char> bytes;
  std::vector<Shadow> shadows;
};

struct Place {
  int32_t slot;
  int64_t offset;
  std::string str() const { return "shared array " + std::to_string(slot) + ", byte " + std::to_string(offset); }
};

/// One block while it runs.
class Block {
public:
  std::string name;
  simt_thread thread = nullptr;
  void **params = nullptr;
  uint32_t size[3] = {1, 1, 1}, index[3] = {0, 0, 0};
  std::string error;

  void run(uint32_t threads) {
    count = threads;
    epoch = 0;
    shared.clear();
    while (fibers.size() < count)
      fibers.push_back(std::make_unique<Fiber>());
    for (current = 0; current < count; ++current)
      start(*fibers[current]);
    while (error.empty() && !isDone()) {
      if (!releaseShuffles() && !releaseProducts() && !releaseBarrier()) {
        reportDeadlock();
        return;
      }
      for (current = 0; current < count; ++current)
        if (fibers[current]->state == State::Ready)
          resume(*fibers[current]);
    }
  }

  /// Ends the present thread, and with it the launch.
  [[noreturn]] void fail(const std::string &what) {
    if (error.empty())
      error = "kernel '" + name + "', block " + std::to_string(index[0]) + ", thread " + std::to_string(current) +
              ": " + what;
    finish();
    std::abort();
  }

  void wait(State state, int32_t site) {
    Fiber &fiber = *fibers[current];
    fiber.state = state;
    fiber.site = site;
    fiber.context.switchTo(scheduler);
  }

  Fiber &fiber() { return *fibers[current]; }
  uint32_t threadNumber() const { return current; }

  void *access(int32_t slot, int64_t total, int64_t offset, int32_t bytes, bool isStore) {
    Shared &memory = shared[slot];
    if (memory.bytes.empty()) {
      memory.bytes.assign(total, char(0xfb)); // poison
      memory.shadows.assign(total, {});
    }
    Place place{slot, offset};
    if (offset < 0 || offset + bytes > total)
      fail(place.str() + " is outside its " + std::to_string(total) + " bytes");
    for (int64_t i = offset; i < offset + bytes; ++i)
      check(memory.shadows[i], place, isStore);
    return memory.bytes.data() + offset;
  }

private:
  static void enter();

  void start(Fiber &fiber) {
    fiber.context.start(fiber.stack.get(), kStackBytes, enter);
    fiber.state = State::Ready;
    if (error.empty())
      resume(fiber);
  }
  void resume(Fiber &fiber) { scheduler.switchTo(fiber.context); }
  /// Ends the present thread.
  void finish() {
    fibers[current]->state = State::Done;
    fibers[current]->context.switchTo(scheduler);
  }

  bool isDone() const {
    for (uint32_t i = 0; i < count; ++i)
      if (fibers[i]->state != State::Done)
        return false;
    return true;
  }

  bool allAt(uint32_t begin, uint32_t end, State state) const {
    for (uint32_t i = begin; i < end; ++i)
      if (fibers[i]->state != state || fibers[i]->site != fibers[begin]->site)
        return false;
    return true;
  }

  /// Lanes that all wait at the same shuffle get each other's values.
  bool releaseShuffles() {
    bool released = false;
    for (uint32_t begin = 0; begin < count; begin += kWarp) {
      uint32_t end = std::min(begin + kWarp, count);
      if (!allAt(begin, end, State::AtShuffle))
        continue;
      for (uint32_t i = begin; i < end; ++i) {
        uint32_t other = begin + ((i - begin) ^ uint32_t(fibers[i]->distance));
        fibers[i]->result = other < end ? fibers[other]->value : fibers[i]->value;
        fibers[i]->state = State::Ready;
      }
      released = true;
    }
    return released;
  }

  /// Lanes that all wait at the same product of a warp get their parts of it.
  bool releaseProducts() {
    bool released = false;
    for (uint32_t begin = 0; begin + kWarp <= count; begin += kWarp) {
      if (!allAt(begin, begin + kWarp, State::AtProduct))
        continue;
      WarpProduct product;
      for (uint32_t lane = 0; lane < kWarp; ++lane)
        product.take(lane, *fibers[begin + lane]->share);
      for (uint32_t lane = 0; lane < kWarp; ++lane) {
        product.give(lane, *fibers[begin + lane]->share);
        fibers[begin + lane]->state = State::Ready;
      }
      released = true;
    }
    return released;
  }

  bool releaseBarrier() {
    if (!allAt(0, count, State::AtBarrier))
      return false;
    ++epoch;
    for (uint32_t i = 0; i < count; ++i)
      fibers[i]->state = State::Ready;
    return true;
  }

  void reportDeadlock() {
    std::string counts;
    for (auto [state, what] : {std::pair{State::AtBarrier, "at a barrier"},
                               {State::AtShuffle, "at a shuffle"},
                               {State::AtProduct, "at a product"},
                               {State::Done, "at the end"}}) {
      std::map<int32_t, uint32_t> sites;
      for (uint32_t i = 0; i < count; ++i)
        if (fibers[i]->state == state)
          ++sites[state == State::Done ? 0 : fibers[i]->site];
      for (auto [site, threads] : sites)
        counts += (counts.empty() ? "" : ", ") + std::to_string(threads) + " " + what;
    }
    error = "kernel '" + name + "', block " + std::to_string(index[0]) +
            ": its threads wait for each other for ever: " + counts;
  }

  void check(Shadow &shadow, Place place, bool isStore) {
    uint32_t me = current + 1;
    bool raceWithWriter = shadow.writer && shadow.writer != me && shadow.written == epoch;
    bool raceWithReader = shadow.reader && shadow.reader != me && shadow.read == epoch;
    if (!isStore && !shadow.writer)
      fail(place.str() + " is read before it is written");
    if (raceWithWriter || (isStore && raceWithReader))
      fail(place.str() + " is " + (isStore ? "written" : "read") + ", and " + (raceWithWriter ? "written" : "read") +
           " by thread " + std::to_string((raceWithWriter ? shadow.writer : shadow.reader) - 1) +
           ", without a barrier between");
    (isStore ? shadow.writer : shadow.reader) = me;
    (isStore ? shadow.written : shadow.read) = epoch;
  }

  std::vector<std::unique_ptr<Fiber>> fibers;
  std::map<int32_t, Shared> shared;
  Context scheduler;
  uint32_t count = 0, current = 0, epoch = 0;
};

thread_local Block *running = nullptr;

void Block::enter() {
  Block *block = running;
  block->thread(block->params);
  block->finish();
}

std::vector<simt_range> allowed;

bool isAllowed(const char *address, int64_t bytes, bool isStore) {
  for (const simt_range &range : allowed) {
    auto *begin = static_cast<const char *>(range.begin);
    if (address >= begin && address + bytes <= begin + range.bytes)
      return range.writable || !isStore;
  }
  return allowed.empty();
}

} // namespace

void (*simt_check_global)(const void *address, size_t bytes, int is_store) = nullptr;

int simt_launch(const char *name, simt_thread thread, void **params, const uint32_t grid[3], const uint32_t size[3],
                char *error, size_t error_bytes) {
  thread_local Block block;
  Block *outer = running;
  running = &block;
  block.name = name;
  block.thread = thread;
  block.params = params;
  block.error.clear();
  std::memcpy(block.size, size, sizeof block.size);
  for (uint32_t z = 0; z < grid[2]; ++z)
    for (uint32_t y = 0; y < grid[1]; ++y)
      for (uint32_t x = 0; x < grid[0] && block.error.empty(); ++x) {
        block.index[0] = x, block.index[1] = y, block.index[2] = z;
        block.run(size[0] * size[1] * size[2]);
      }
  running = outer;
  if (error && error_bytes)
    std::snprintf(error, error_bytes, "%s", block.error.c_str());
  return block.error.empty() ? 0 : 1;
}

int64_t simt_thread_id(int32_t dim) {
  uint32_t number = running->threadNumber(), x = running->size[0], y = running->size[1];
  return dim == 0 ? number % x : dim == 1 ? number / x % y : number / x / y;
}

int64_t simt_block_id(int32_t dim) { return running->index[dim]; }

void simt_barrier(int32_t site) { running->wait(State::AtBarrier, site); }

int32_t simt_shuffle_xor(int32_t value, int32_t distance, int32_t site) {
  Fiber &fiber = running->fiber();
  fiber.value = value;
  fiber.distance = distance;
  running->wait(State::AtShuffle, site);
  return fiber.result;
}

void simt_mma(int32_t a0, int32_t a1, int32_t a2, int32_t a3, int32_t b0, int32_t b1, float c0, float c1, float c2,
              float c3, int32_t is_bf16, float *sums, int32_t site) {
  WarpProduct::Share share{{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, is_bf16 != 0};
  running->fiber().share = &share;
  running->wait(State::AtProduct, site);
  std::copy(share.sums, share.sums + 4, sums);
}

void *simt_shared(int32_t slot, int64_t size, int64_t offset, int32_t bytes, int32_t is_store) {
  return running->access(slot, size, offset, bytes, is_store != 0);
}

void simt_set_ranges(const simt_range *ranges, int count) { allowed.assign(ranges, ranges + count); }

void simt_global(const void *address, int64_t bytes, int32_t is_store) {
  if (!isAllowed(static_cast<const char *>(address), bytes, is_store))
    running->fail((is_store ? "writes " : "reads ") + std::to_string(bytes) +
                  " bytes of global memory outside its buffers");
  if (simt_check_global)
    simt_check_global(address, size_t(bytes), is_store);
}

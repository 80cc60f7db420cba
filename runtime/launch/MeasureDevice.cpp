#include "runtime/core/ThreadPool.h"
#include "runtime/core/Wait.h"
#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Matmul.h"
#include "runtime/cpu/PackedWeights.h"
#include "runtime/launch/Measure.h"
#include "runtime/launch/Session.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unistd.h>

namespace froe {

namespace {

constexpr int64_t kMemoryBytes = 256 << 20; // of each array: beyond any cache that a core has to itself
constexpr double kSecondsPerRate = 0.1;

double seconds() { return double(rt::nanoseconds()) * 1e-9; }

/// The shortest of as many executions as fit in the time for one rate, at least three.
template <typename Body> double shortest(Body &&body) {
  double best = 1e9, end = seconds() + kSecondsPerRate;
  for (int i = 0; i < 3 || seconds() < end; ++i) {
    double begin = seconds();
    body();
    best = std::min(best, seconds() - begin);
  }
  return best;
}

/// Two arrays of words, written once so that their pages exist.
struct Arrays {
  explicit Arrays(int64_t bytes)
      : words(bytes / 8), from(new uint64_t[size_t(words)]), to(new uint64_t[size_t(words)]) {
    std::fill_n(from.get(), words, 1);
    std::fill_n(to.get(), words, 1);
  }
  int64_t words;
  std::unique_ptr<uint64_t[]> from, to;
};

uint64_t sum(const uint64_t *words, int64_t count) {
  uint64_t total = 0;
  for (int64_t i = 0; i < count; ++i)
    total += words[i];
  return total;
}

void copy(const uint64_t *from, uint64_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i] + 1; // not a call of memcpy, which may go past the caches
}

/// Of `bytes` of each array; short loops are repeated, so that the clock does not count.
StreamRates streamRates(rt::ThreadPool &pool, const Arrays &arrays, int64_t bytes) {
  int64_t words = std::min(arrays.words, bytes / 8), repeats = std::max<int64_t>((8 << 20) / bytes, 1);
  volatile uint64_t sink = 0;
  double read = shortest([&] {
    pool.run(words, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < repeats; ++i)
        sink = sink + sum(arrays.from.get() + begin, end - begin);
    });
  });
  double copied = shortest([&] {
    pool.run(words, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < repeats; ++i)
        copy(arrays.from.get() + begin, arrays.to.get() + begin, end - begin);
    });
  });
  double moved = double(words * 8 * repeats);
  return {moved / read, 2 * moved / copied};
}

/// A quarter of the second-level caches: both arrays fit, with room for others.
int64_t cachedBytes(int threads) {
  long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return std::max<int64_t>(size > 0 ? size : 256 << 10, 64 << 10) / 4 * threads;
}

int64_t cacheLimit(rt::ThreadPool &pool, const Arrays &arrays, const DeviceMeasure &measured) {
  int64_t limit = 0;
  for (int64_t bytes = 256 << 10; bytes <= 64 << 20; bytes *= 2) {
    if (streamRates(pool, arrays, bytes).copy < (measured.cache.copy + measured.memory.copy) / 2)
      break;
    limit = 2 * bytes;
  }
  return limit;
}

froe_matmul rowsTimesWeight(froe_type type, int64_t rows) {
  int64_t side = std::max<int64_t>(rows, 512);
  froe_matmul matmul{};
  matmul.type = type;
  matmul.m = rows, matmul.n = side, matmul.k = side;
  matmul.a_m_stride = matmul.b_k_stride = matmul.c_m_stride = side;
  matmul.a_k_stride = matmul.b_n_stride = matmul.c_n_stride = 1;
  return matmul;
}

double matmulRate(rt::ThreadPool &pool, froe_type type, int64_t rows) {
  froe_matmul matmul = rowsTimesWeight(type, rows);
  cpu::Packing packing = cpu::choosePacking(matmul);
  auto bytes = [&](int64_t elements) { return std::vector<std::byte>(size_t(elements * cpu::bytesOf(type)) + 64); };
  std::vector<std::byte> a = bytes(matmul.m * matmul.k), plain = bytes(matmul.k * matmul.n),
                         c = bytes(matmul.m * matmul.n), packed(packing.bytes + 64);
  auto aligned = [](std::vector<std::byte> &memory) {
    return reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  };
  cpu::packWeight(matmul, packing, plain.data(), aligned(packed));
  cpu::StoredWeight weight{aligned(packed), packing.tag};
  auto product = cpu::Matmul::prepare(matmul, pool.size(), &weight);
  if (!product)
    return 0;
  void *buffers[] = {aligned(a), nullptr, aligned(c)};
  double time = shortest([&] {
    pool.run((*product)->pieces(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece)
        (*product)->run(piece, buffers);
    });
  });
  return 2.0 * double(matmul.m) * double(matmul.n) * double(matmul.k) / time;
}

} // namespace

DeviceMeasure measureDevice(int threads, const MeasureProgress &progress) {
  DeviceMeasure measured;
  measured.threads = threads;
  measured.hostThreads = int(usableCores().size());
  rt::ThreadPool pool(threads), host(measured.hostThreads);
  progress("memory", 0);
  {
    Arrays arrays(kMemoryBytes);
    measured.memory = streamRates(pool, arrays, kMemoryBytes);
    measured.host = streamRates(host, arrays, kMemoryBytes);
    progress("caches", 0.2);
    measured.cache = streamRates(pool, arrays, cachedBytes(threads));
    measured.cacheBytes = cacheLimit(pool, arrays, measured);
  }
  constexpr std::pair<froe_type, const char *> types[] = {
      {FROE_F32, "f32"}, {FROE_BF16, "bf16"}, {FROE_F16, "f16"}, {FROE_F64, "f64"}};
  constexpr int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  double done = 0;
  for (auto [type, name] : types)
    for (int64_t size : sizes) {
      progress(std::string("matrix products of ") + name, 0.4 + 0.6 * done++ / (std::size(types) * std::size(sizes)));
      measured.matmul.push_back({type, size, matmulRate(pool, type, size)});
    }
  progress("done", 1);
  return measured;
}

} // namespace froe

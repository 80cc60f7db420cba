#include "runtime/core/ThreadPool.h"
#include "runtime/core/Wait.h"
#include "runtime/launch/Measure.h"
#include "runtime/launch/MeasureMatmul.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <unistd.h>

namespace froe {

namespace {

constexpr int64_t kMemoryBytes = 256 << 20; // of each array: beyond any cache that a core has to itself
constexpr double kSecondsPerRate = 0.1;

double seconds() { return double(rt::nanoseconds()) * 1e-9; }

/// The median of as many executions as fit in the time for one rate, at least three.
template <typename Body> double usual(Body &&body) {
  std::vector<double> times;
  double end = seconds() + kSecondsPerRate;
  for (int i = 0; i < 3 || seconds() < end; ++i) {
    double begin = seconds();
    body();
    times.push_back(seconds() - begin);
  }
  return median(times);
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
  double read = usual([&] {
    pool.run(words, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < repeats; ++i)
        sink = sink + sum(arrays.from.get() + begin, end - begin);
    });
  });
  double copied = usual([&] {
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

// Weights of the products that are measured: a small one fits in any second-level cache, many large ones in none.
constexpr int64_t kCachedSide = 384, kStreamedSide = 1024, kStreamedBytes = 192 << 20;
constexpr int kPasses = 6; // over all products, so that a slow second does not hit one of them alone
constexpr double kSecondsPerProduct = 0.015;

/// One kind of product and all times of it.
struct Series {
  froe_type type;
  int64_t rows;
  std::vector<double> cached, streamed;

  void sample(rt::ThreadPool &pool, const Numbers &weights) {
    for (auto [side, bytes, times] :
         {std::tuple(kCachedSide, int64_t(1), &cached), std::tuple(kStreamedSide, kStreamedBytes, &streamed)}) {
      WeightProducts products(pool, type, rows, side, weights, bytes, {FROE_POST_ADD});
      if (!products)
        return;
      products.run(); // the first one prepares scratch
      products.sample(kSecondsPerProduct, *times);
    }
  }
};

/// Few types have as many as f32: the others follow the same line.
std::vector<Series> allSeries() {
  std::vector<Series> series;
  for (int64_t rows : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
    series.push_back({FROE_F32, rows, {}, {}});
  for (froe_type type : {FROE_BF16, FROE_F16, FROE_F64})
    for (int64_t rows : {1, 8, 64, 256})
      series.push_back({type, rows, {}, {}});
  return series;
}

std::vector<MatmulSample> measureProducts(rt::ThreadPool &pool, const Numbers &weights,
                                          const MeasureProgress &progress) {
  std::vector<Series> series = allSeries();
  double done = 0, all = double(series.size() * kPasses);
  for (int pass = 0; pass < kPasses; ++pass)
    for (Series &one : series) {
      progress("matrix products", 0.3 + 0.7 * done++ / all);
      one.sample(pool, weights);
    }
  std::vector<MatmulSample> samples;
  for (const Series &one : series)
    if (!one.streamed.empty())
      samples.push_back({one.type, one.rows, kCachedSide, kStreamedSide, median(one.cached), median(one.streamed)});
  return samples;
}

/// Elements a second of GELU, from products with and without it.
double geluRate(rt::ThreadPool &pool, const Numbers &weights) {
  constexpr int64_t rows = 32, side = 256;
  std::vector<double> with, without;
  WeightProducts gelu(pool, FROE_F32, rows, side, weights, 1, {FROE_POST_ADD, FROE_POST_GELU_ERF});
  WeightProducts plain(pool, FROE_F32, rows, side, weights, 1, {FROE_POST_ADD});
  for (int pass = 0; pass < 20; ++pass) {
    gelu.sample(0.005, with);
    plain.sample(0.005, without);
  }
  double difference = median(with) - median(without);
  return double(rows * side) / std::max(difference, 0.1 * median(with));
}

} // namespace

DeviceMeasure measureDevice(int threads, const MeasureProgress &progress) {
  DeviceMeasure measured;
  measured.threads = threads;
  rt::ThreadPool pool(threads);
  progress("memory", 0);
  {
    Arrays arrays(kMemoryBytes);
    measured.memory = streamRates(pool, arrays, kMemoryBytes);
    progress("caches", 0.1);
    measured.cache = streamRates(pool, arrays, cachedBytes(threads));
    measured.cacheBytes = cacheLimit(pool, arrays, measured);
  }
  progress("weights", 0.2);
  Numbers weights(kStreamedBytes, Numbers::Like::Weights);
  measured.geluPerSecond = geluRate(pool, weights);
  measured.matmul = measureProducts(pool, weights, progress);
  progress("done", 1);
  return measured;
}

} // namespace froe

#include "runtime/launch/MeasureMatmul.h"

#include "runtime/core/Wait.h"
#include "runtime/cpu/Elements.h"
#include "runtime/cpu/PackedWeights.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace froe {

namespace {

constexpr int64_t kHugePage = 2 << 20;

froe_matmul rowsTimesWeight(froe_type type, int64_t rows, int64_t side, std::initializer_list<froe_post_kind> posts) {
  froe_matmul matmul{};
  matmul.type = type;
  matmul.m = rows, matmul.n = side, matmul.k = side;
  matmul.a_m_stride = matmul.b_k_stride = matmul.c_m_stride = side;
  matmul.a_k_stride = matmul.b_n_stride = matmul.c_n_stride = 1;
  for (froe_post_kind kind : posts) {
    froe_post &post = matmul.posts[matmul.post_count++];
    post.kind = kind;
    post.buffer = kind == FROE_POST_ADD ? 3 : -1;
    post.n_stride = 1;
  }
  return matmul;
}

int64_t roundUp(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

} // namespace

double lowerQuartile(std::vector<double> seconds) {
  auto at = seconds.begin() + std::ptrdiff_t(seconds.size() / 4);
  std::ranges::nth_element(seconds, at);
  return *at;
}

void Numbers::Free::operator()(void *address) const { std::free(address); }

/// Written everywhere, since memory that was only allocated reads as one cached page of zeros.
Numbers::Numbers(int64_t bytes)
    : size(roundUp(bytes, kHugePage)),
      memory(static_cast<std::byte *>(std::aligned_alloc(size_t(kHugePage), size_t(size)))) {
  madvise(memory.get(), size_t(size), MADV_HUGEPAGE);
  std::fill_n(reinterpret_cast<float *>(memory.get()), size / 4, 0.5F); // finite numbers in any other type as well
}

WeightProducts::WeightProducts(rt::ThreadPool &pool, froe_type type, int64_t rows, int64_t side, const Numbers &weights,
                               int64_t weightBytes, std::initializer_list<froe_post_kind> posts)
    : pool(pool), rowsIn(rows * side * cpu::bytesOf(type)), rowsOut(rowsIn.bytes()), bias(side * cpu::bytesOf(type)) {
  froe_matmul matmul = rowsTimesWeight(type, rows, side, posts);
  cpu::Packing packing = cpu::choosePacking(matmul);
  int64_t stride = roundUp(int64_t(packing.bytes), 4096);
  int64_t count = std::max<int64_t>(std::min(weightBytes, weights.bytes()) / stride, 1);
  for (int64_t i = 0; i < count; ++i) {
    // Any numbers do for a packed weight.
    cpu::StoredWeight weight{weights.data() + i * stride, packing.tag};
    auto product = cpu::Matmul::prepare(matmul, pool.size(), &weight);
    if (!product) {
      products.clear();
      return;
    }
    products.push_back(std::move(*product));
  }
}

void WeightProducts::run() {
  cpu::Matmul &product = *products[next];
  next = (next + 1) % products.size();
  void *buffers[] = {rowsIn.data(), nullptr, rowsOut.data(), bias.data()};
  pool.run(product.pieces(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      product.run(piece, buffers);
  });
}

void WeightProducts::sample(double budget, std::vector<double> &seconds) {
  int64_t end = rt::nanoseconds() + int64_t(budget * 1e9);
  for (int i = 0; i < 3 || rt::nanoseconds() < end; ++i) {
    int64_t begin = rt::nanoseconds();
    run();
    seconds.push_back(double(rt::nanoseconds() - begin) * 1e-9);
  }
}

} // namespace froe

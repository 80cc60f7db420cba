#include "runtime/launch/MeasureMatmul.h"

#include "runtime/core/Wait.h"
#include "runtime/cpu/Elements.h"
#include "runtime/cpu/PackedWeights.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <sys/mman.h>

namespace froe {

namespace {

constexpr int64_t kHugePage = 2 << 20;

froe_matmul rowsTimesWeight(froe_type type, int64_t rows, int64_t side, std::initializer_list<froe_post_kind> posts) {
  froe_matmul matmul{};
  matmul.type = matmul.c_type = type;
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

double median(std::vector<double> seconds) {
  auto at = seconds.begin() + std::ptrdiff_t(seconds.size() / 2);
  std::ranges::nth_element(seconds, at);
  return *at;
}

void Numbers::Unmap::operator()(void *address) const { munmap(address, size_t(size)); }

namespace {

constexpr float kNumber = 0.5F; // its bytes are finite numbers in any other type as well

/// Written everywhere, since memory that was only allocated reads as one cached page of zeros.
void *mapArena(int64_t size) {
  void *address = mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return address;
  madvise(address, size_t(size), MADV_HUGEPAGE);
  std::fill_n(static_cast<float *>(address), size / 4, kNumber);
  return address;
}

/// A file without a name: which pages back it is the file system's choice, as with a package.
void *mapFile(int64_t size) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::tmpfile(), std::fclose);
  std::vector<float> numbers(size_t(kHugePage) / 4, kNumber);
  bool written = file != nullptr;
  for (int64_t done = 0; written && done < size; done += kHugePage)
    written = std::fwrite(numbers.data(), size_t(kHugePage), 1, file.get()) == 1;
  if (!written || std::fflush(file.get()) != 0)
    return MAP_FAILED;
  return mmap(nullptr, size_t(size), PROT_READ, MAP_SHARED | MAP_POPULATE, fileno(file.get()), 0);
}

} // namespace

Numbers::Numbers(int64_t bytes, Like like) : size(roundUp(bytes, kHugePage)), memory(nullptr, Unmap{size}) {
  void *address = like == Like::Weights ? mapFile(size) : MAP_FAILED;
  if (address == MAP_FAILED) // an arena, or no room for files
    address = mapArena(size);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  memory.reset(static_cast<std::byte *>(address));
}

WeightProducts::WeightProducts(rt::ThreadPool &pool, froe_type type, int64_t rows, int64_t side, const Numbers &weights,
                               int64_t weightBytes, std::initializer_list<froe_post_kind> posts)
    : pool(pool), rowsIn(rows * side * cpu::bytesOf(type), Numbers::Like::Arena),
      rowsOut(rowsIn.bytes(), Numbers::Like::Arena), bias(side * cpu::bytesOf(type), Numbers::Like::Arena) {
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

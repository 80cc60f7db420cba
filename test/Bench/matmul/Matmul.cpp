// Rates of the CPU matrix product for the shapes of common models, as `froe_rt_matmul` runs it on one thread.
//
//   bench-matmul [THREADS] [BACKEND]...      GF/s per shape; one column for each backend (default: what the machine
//   chooses)

#include "runtime/cpu/Matmul.h"
#include "runtime/cpu/Elements.h"
#include "runtime/cpu/PackedWeights.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using namespace froe::cpu;

namespace {

struct Shape {
  const char *name;
  froe_matmul matmul;
};

froe_matmul linear(int64_t m, int64_t n, int64_t k, froe_type type = FROE_F32) {
  froe_matmul matmul{};
  matmul.type = matmul.c_type = type;
  matmul.m = m, matmul.n = n, matmul.k = k;
  matmul.a_m_stride = k, matmul.a_k_stride = 1;
  matmul.b_k_stride = n, matmul.b_n_stride = 1;
  matmul.c_m_stride = n, matmul.c_n_stride = 1;
  return matmul;
}

froe_matmul with(froe_matmul matmul, std::initializer_list<froe_post_kind> posts) {
  for (froe_post_kind kind : posts) {
    froe_post &post = matmul.posts[matmul.post_count++];
    post.kind = kind;
    post.buffer = kind == FROE_POST_ADD ? 3 : -1;
    post.n_stride = 1;
  }
  return matmul;
}

froe_matmul activations(froe_matmul matmul) {
  matmul.weight = -1;
  return matmul;
}

/// [heads][sequence][sequence] = q k^T, or v's product with it; heads lie inside rows of heads * depth.
froe_matmul heads(int64_t heads, int64_t queries, int64_t sequence, int64_t depth, bool scores) {
  int64_t row = heads * depth;
  froe_matmul matmul = activations(scores ? linear(queries, sequence, depth) : linear(queries, depth, sequence));
  matmul.batch_rank = 1;
  matmul.batch[0] = heads;
  matmul.a_batch_stride[0] = scores ? depth : queries * sequence;
  matmul.b_batch_stride[0] = depth;
  matmul.c_batch_stride[0] = scores ? queries * sequence : depth;
  if (scores)
    matmul.a_m_stride = row, matmul.b_n_stride = row, matmul.b_k_stride = 1;
  else
    matmul.b_k_stride = row, matmul.c_m_stride = row;
  return matmul;
}

std::vector<Shape> shapes() {
  const auto bias = FROE_POST_ADD;
  return {{"1024x768x768", linear(1024, 768, 768)},
          {"1024x3072x768", linear(1024, 3072, 768)},
          {"1024x768x3072", linear(1024, 768, 3072)},
          {"128x768x768", linear(128, 768, 768)},
          {"128x3072x768", linear(128, 3072, 768)},
          {"128x3072x768 bias gelu", with(linear(128, 3072, 768), {bias, FROE_POST_GELU_ERF})},
          {"128x3072x768 bias relu", with(linear(128, 3072, 768), {bias, FROE_POST_RELU})},
          {"1024x3072x768 bias relu", with(linear(1024, 3072, 768), {bias, FROE_POST_RELU})},
          {"128x768x3072", linear(128, 768, 3072)},
          {"128x1536x768", linear(128, 1536, 768)},
          {"128x50257x768", linear(128, 50257, 768)},
          {"128x768x768 b computed", activations(linear(128, 768, 768))},
          {"64x3136x576 b computed", activations(linear(64, 3136, 576))}, // convolutions of ResNet-50
          {"256x3136x64 b computed", activations(linear(256, 3136, 64))},
          {"128x784x1152 b computed", activations(linear(128, 784, 1152))},
          {"256x196x2304 b computed", activations(linear(256, 196, 2304))},
          {"512x49x4608 b computed", activations(linear(512, 49, 4608))},
          {"788x768x768", linear(788, 768, 768)},
          {"96x4096x4096", linear(96, 4096, 4096)},
          {"64x4096x4096", linear(64, 4096, 4096)},
          {"32x4096x4096", linear(32, 4096, 4096)},
          {"16x4096x4096", linear(16, 4096, 4096)},
          {"8x4096x4096", linear(8, 4096, 4096)},
          {"4x4096x4096", linear(4, 4096, 4096)},
          {"2x4096x4096", linear(2, 4096, 4096)},
          {"1x4096x4096", linear(1, 4096, 4096)},
          {"1x768x768", linear(1, 768, 768)},
          {"8x768x768", linear(8, 768, 768)},
          {"4x3072x768", linear(4, 3072, 768)},
          {"q k^T 12x128x128x64", heads(12, 128, 128, 64, true)},
          {"p v   12x128x64x128", heads(12, 128, 128, 64, false)},
          {"q k^T 12x1024x1024x64", heads(12, 1024, 1024, 64, true)},
          {"q k^T 32x1x1024x128", heads(32, 1, 1024, 128, true)},
          {"p v   32x1x128x1024", heads(32, 1, 1024, 128, false)},
          {"100x10x100", linear(100, 10, 100)},
          {"bf16 128x3072x768", linear(128, 3072, 768, FROE_BF16)},
          {"f16  128x3072x768", linear(128, 3072, 768, FROE_F16)},
          {"bf16 1x4096x4096", linear(1, 4096, 4096, FROE_BF16)},
          {"bf16 4x4096x4096", linear(4, 4096, 4096, FROE_BF16)},
          {"f16  1x4096x4096", linear(1, 4096, 4096, FROE_F16)},
          {"f64  128x768x768", linear(128, 768, 768, FROE_F64)}};
}

using Buffer = std::unique_ptr<void, void (*)(void *)>;

/// Filled: memory that was only allocated reads as one cached page of zeros.
Buffer filled(int64_t elements, int32_t type) {
  int64_t bytes = (elements * bytesOf(type) + 63) / 64 * 64;
  Buffer buffer(std::aligned_alloc(64, size_t(bytes)), std::free);
  withElementOf(type, [&](auto element) {
    using E = decltype(element);
    E *to = static_cast<E *>(buffer.get());
    for (int64_t i = 0; i < elements; ++i)
      to[i] = store<E>(Sum<E>(1 + i % 7));
  });
  return buffer;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void runOnThreads(Matmul &product, void *const *buffers) {
  std::vector<std::thread> others;
  for (int64_t piece = 1; piece < product.pieces(); ++piece)
    others.emplace_back([&, piece] { product.run(piece, buffers); });
  product.run(0, buffers);
  for (std::thread &other : others)
    other.join();
}

double bestSeconds(const froe_matmul &matmul, int threads, std::string &backend) {
  int64_t batch = matmul.batch_rank ? matmul.batch[0] : 1;
  Buffer a = filled(batch * matmul.m * matmul.k, matmul.type), b = filled(batch * matmul.k * matmul.n, matmul.type),
         c = filled(batch * matmul.m * matmul.n, matmul.type), bias = filled(matmul.n, matmul.type);
  Packing packing = choosePacking(matmul);
  Buffer packed = filled(int64_t(packing.bytes) / bytesOf(matmul.type) + 1, matmul.type);
  StoredWeight weight{packed.get(), packing.tag};
  if (matmul.weight >= 0)
    packWeight(matmul, packing, b.get(), packed.get());
  auto product = Matmul::prepare(matmul, threads, matmul.weight >= 0 ? &weight : nullptr);
  if (!product)
    std::exit((std::fprintf(stderr, "%s\n", product.error().c_str()), 1));
  backend = (*product)->backend();
  void *buffers[] = {a.get(), b.get(), c.get(), bias.get()};
  double best = 1e9;
  for (double start = seconds(); seconds() < start + 0.15;) {
    double before = seconds();
    runOnThreads(**product, buffers);
    best = std::min(best, seconds() - before);
  }
  return best;
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<const char *> backends(argv + std::min(argc, 2), argv + argc);
  if (backends.empty())
    backends = {""};
  for (const Shape &shape : shapes()) {
    std::printf("%-26s", shape.name);
    for (const char *preferred : backends) {
      setenv("FROE_MATMUL_BACKEND", preferred, 1);
      std::string backend;
      const froe_matmul &matmul = shape.matmul;
      double best = bestSeconds(matmul, threads, backend);
      double flops = 2.0 * double(matmul.batch_rank ? matmul.batch[0] : 1) * double(matmul.m) * double(matmul.n) *
                     double(matmul.k);
      std::printf("  %9s %8.1f us %6.1f GF/s", backend.c_str(), best * 1e6, flops / best * 1e-9);
    }
    std::printf("\n");
  }
}

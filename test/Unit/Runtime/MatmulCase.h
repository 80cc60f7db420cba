#pragma once

#include "froe_rt.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <sys/mman.h>
#include <vector>

/// Memory that ends where a page begins that must not be touched: reading behind a tensor ends the test.
template <class T> struct GuardedAllocator {
  using value_type = T;
  GuardedAllocator() = default;
  template <class U> GuardedAllocator(const GuardedAllocator<U> &) {}
  bool operator==(const GuardedAllocator &) const { return true; }

  static constexpr size_t kPage = 4096;
  static size_t pages(size_t count) { return (count * sizeof(T) + kPage - 1) / kPage * kPage; }
  T *allocate(size_t count) {
    void *memory = mmap(nullptr, pages(count) + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto *end = static_cast<std::byte *>(memory) + pages(count);
    mprotect(end, kPage, PROT_NONE);
    return reinterpret_cast<T *>(end) - count;
  }
  void deallocate(T *start, size_t count) {
    munmap(reinterpret_cast<std::byte *>(start + count) - pages(count), pages(count) + kPage);
  }
};
using Tensor = std::vector<std::byte, GuardedAllocator<std::byte>>;

/// A matrix product with random operands, and its result by plain loops in double.
struct MatmulCase {
  froe_matmul matmul{};
  std::vector<Tensor> tensors;   /* a, b, c, operands of posts */
  std::vector<double> expected;  /* [batch][m][n] */
  std::vector<double> magnitude; /* the same sums with absolute values: what rounding is relative to */

  /// Dense, row-major: a [batch][m][k], b [batch][k][n], c [batch][m][n]. Change strides before `fill`.
  MatmulCase(froe_type type, std::vector<int64_t> batch, int64_t m, int64_t n, int64_t k);

  MatmulCase &transposeLeft();  /* a stored [batch][k][m] */
  MatmulCase &transposeRight(); /* b stored [batch][n][k] */
  MatmulCase &broadcastRight(); /* b without batch dims */
  MatmulCase &wideResult();     /* c and operands of posts are f32 */
  MatmulCase &post(froe_post_kind kind, float value = 0);
  enum Operand { Row, Full, Scalar, Column, BatchRow };
  MatmulCase &post(froe_post_kind kind, Operand operand);

  /// Allocates and draws the operands, and computes what is expected.
  void fill(unsigned seed);
  std::vector<void *> buffers();
  /// The message of the first element of c that is not as expected, or an empty string.
  std::string mismatch() const;

  double read(int buffer, int64_t index) const;
  void write(int buffer, int64_t index, double value);

private:
  template <class Visit> void eachElement(Visit &&visit) const;
  void compute();
  int32_t typeOf(int buffer) const;
};

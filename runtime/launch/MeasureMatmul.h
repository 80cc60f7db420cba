// Products by packed weights, prepared to be timed.
#pragma once

#include "froe_rt.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/Matmul.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace froe {

/// The time that half of the samples stay below.
double median(std::vector<double> seconds);

/// Numbers behind one another: as ranks have their arena, in huge pages where the system has them, or as a package's
/// weights, whose file is mapped in small ones.
class Numbers {
public:
  enum class Like { Arena, Weights };
  Numbers(int64_t bytes, Like like);
  std::byte *data() const { return memory.get(); }
  int64_t bytes() const { return size; }

private:
  struct Unmap {
    int64_t size;
    void operator()(void *address) const;
  };
  int64_t size;
  std::unique_ptr<std::byte, Unmap> memory;
};

/// Products of `rows` rows of `side` elements by square weights. Each execution takes the next of as many weights as
/// fit in `weightBytes` of `weights` (at least one).
class WeightProducts {
public:
  /// `posts` follow the product; FROE_POST_ADD adds a bias. `weights` must stay.
  WeightProducts(rt::ThreadPool &pool, froe_type type, int64_t rows, int64_t side, const Numbers &weights,
                 int64_t weightBytes, std::initializer_list<froe_post_kind> posts);

  /// False where no implementation has the type.
  explicit operator bool() const { return !products.empty(); }
  void run();
  /// Times of single executions for about `budget` seconds, at least three.
  void sample(double budget, std::vector<double> &seconds);

private:
  rt::ThreadPool &pool;
  Numbers rowsIn, rowsOut, bias;
  std::vector<std::unique_ptr<cpu::Matmul>> products;
  size_t next = 0;
};

} // namespace froe

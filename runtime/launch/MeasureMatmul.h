// Products by packed weights, prepared to be timed.
#pragma once

#include "froe_rt.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/Matmul.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace froe {

/// The time that a quarter of the samples stay below.
double lowerQuartile(std::vector<double> seconds);

/// Numbers behind one another, in huge pages where the system has them.
class Numbers {
public:
  explicit Numbers(int64_t bytes);
  std::byte *data() const { return memory.get(); }
  int64_t bytes() const { return size; }

private:
  struct Free {
    void operator()(void *address) const;
  };
  int64_t size;
  std::unique_ptr<std::byte, Free> memory;
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

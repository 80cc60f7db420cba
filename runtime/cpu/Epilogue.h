#pragma once

#include "runtime/cpu/Product.h"

#include <cstddef>
#include <expected>
#include <string>

namespace froe::cpu {

/// A part of one matrix of the result, with its sums: `sums` is [rows][columns] with `sumsRow` between rows, in the
/// type that sums are kept in. For f32 and f64 it may be the place in c itself.
struct ResultPart {
  int64_t batch, m, rows, n, columns;
  void *sums;
  int64_t sumsRow;
};

/// Applies the posts of a product from `first` on and stores the result in c.
class Epilogue {
public:
  /// An error names the first post that the product's element type does not have.
  static std::expected<Epilogue, std::string> prepare(const Product &product, size_t first = 0);

  void finish(const ResultPart &part, void *const *buffers) const;

private:
  explicit Epilogue(const Product &product, size_t first);

  Product product;
  size_t first;
  using Finish = void (*)(const Product &, size_t first, const ResultPart &, void *const *buffers);
  Finish function;
};

const char *nameOf(froe_post_kind kind);

} // namespace froe::cpu

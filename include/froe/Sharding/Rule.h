#pragma once

#include "froe/Sharding/Sharding.h"

#include <expected>
#include <optional>
#include <span>

namespace froe {

/// What may be done with one loop dimension of an op.
enum class FactorKind {
  Parallel,  ///< may be cut: each device computes its block
  Reduction, ///< may be cut: each device's result is then a partial value of `reduce`
  Whole,     ///< must not be cut: operands are gathered along it first
};

/// A named loop dimension, shared by dims of operands and results.
struct Factor {
  std::string name;
  int64_t size = 1;
  FactorKind kind = FactorKind::Parallel;
  ReduceKind reduce = ReduceKind::Sum; ///< for Reduction
  bool operator==(const Factor &) const = default;
};

/// The factors that one tensor dim is made of, major first. Several where a reshape merged dims; none where the dim has
/// size 1 and is broadcast (it is then always replicated).
using DimFactors = std::vector<int>;
/// One entry a dim.
using TensorFactors = std::vector<DimFactors>;

/// The op is linear, or otherwise commutes with a reduction, in these operands taken together: where all of them are
/// partial over an axis (one of `kinds`) and no other operand is, the results are partial over that axis as well.
///   add: operands {0, 1}, sum.    multiply: {0} sum, and {1} sum.    transpose: {0}, any kind.
struct PartialForm {
  std::vector<int> operands;
  std::vector<ReduceKind> kinds;
  bool operator==(const PartialForm &) const = default;
};

/// How an op can be cut: an einsum-like map from the dims of operands and results to factors.
///
/// A rule is written as text. `softmax` over the last of three dims, a matrix product, and a binary elementwise op:
///
///   (a, b, c) -> (a, b, c) | c: whole
///   (m, k), (k, n) -> (m, n) | k: sum | partial 0: sum | partial 1: sum
///   (...), (...) -> (...) | partial 0 1: sum
///
/// `...` stands for one parallel factor for each remaining dim, the same ones in every tensor (named d0, d1, ... );
/// where a tensor has size 1 and another has more, that dim is a broadcast one without factors. A dim of several
/// factors is written `b*s`; `1` is a dim without factors. After the first `|` stand factor kinds (`name: whole` or
/// `name: sum|product|max|min|and|or`, several separated by commas) and partial forms (`partial OPERANDS: KINDS`, kinds
/// separated by commas, or `any`).
struct Rule {
  std::vector<Factor> factors;
  std::vector<TensorFactors> operands;
  std::vector<TensorFactors> results;
  std::vector<PartialForm> partials;

  bool operator==(const Rule &) const = default;

  /// Sizes come from the shapes: equal factors must agree on them; of a dim of several factors at most one may be
  /// new, its size is what the others leave.
  static std::expected<Rule, std::string> parse(std::string_view text,
                                                std::span<const std::vector<int64_t>> operandShapes,
                                                std::span<const std::vector<int64_t>> resultShapes);
  std::string str() const;
  /// Why the rule is malformed, if it is: a factor out of range or twice in one tensor, sizes that disagree with the
  /// shapes, a reduction factor that occurs in a result, a parallel factor of an operand that some result lacks, a
  /// partial form naming no operand.
  std::optional<std::string> check(std::span<const std::vector<int64_t>> operandShapes,
                                   std::span<const std::vector<int64_t>> resultShapes) const;
};

} // namespace froe

#pragma once

#include "froe/Sharding/Rule.h"

namespace froe {

/// A rule as written, before shapes give its factors their sizes: `...` not yet expanded.
struct RuleText {
  /// The factor names of one dim; none for `1`. `...` is a dim of that name alone.
  using Dim = std::vector<std::string>;
  using Tensor = std::vector<Dim>;
  struct NamedKind {
    std::string factor;
    FactorKind kind;
    ReduceKind reduce;
  };

  std::vector<Tensor> operands, results;
  std::vector<NamedKind> kinds;
  std::vector<PartialForm> partials;

  static std::expected<RuleText, std::string> parse(std::string_view text);
};

} // namespace froe

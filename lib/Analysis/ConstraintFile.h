#pragma once

#include "froe/Sharding/Sharding.h"

#include <nlohmann/json.hpp>

#include <expected>
#include <map>
#include <string>
#include <vector>

namespace froe {

/// A sharding as a constraint file writes it: axes for each dim, `[["x"], []]`, or by the names of dims that are cut,
/// `{"batch": ["x"]}`.
struct ShardingPattern {
  std::vector<AxisList> dims;            ///< of the list form
  std::map<std::string, AxisList> named; ///< of the form by names
  bool byName = false;

  /// What it means for a tensor of these dims; nothing where it has not as many, or lacks a name.
  std::optional<Sharding> on(const std::vector<std::string> &dimNames) const;
  std::string str(const Mesh &mesh) const;
};

/// One line of a constraint file about nodes whose names match a pattern.
struct Pin {
  enum class Kind {
    Input,    ///< key `inputs`: how the caller gives it
    Output,   ///< key `outputs`: how the caller gets it
    Tensor,   ///< key `tensors`
    Forbid,   ///< key `forbid`
    Strategy, ///< key `strategies`
  };
  Kind kind = Kind::Tensor;
  std::string pattern; ///< a glob
  ShardingPattern sharding;
  std::string strategy;

  /// `pinning 'x' [{"x"}, {}]`
  std::string str(const Mesh &mesh) const;
};

/// What a constraint file says (docs/planning.md).
struct ConstraintFile {
  std::vector<Pin> pins;
  std::map<AxisIndex, std::vector<std::string>> axes; ///< dims that an axis may cut, by name
  std::vector<std::vector<std::string>> stages;       ///< globs of the nodes of each stage; empty: not said
  int64_t microbatches = 0;                           ///< 0: not said

  /// Errors name the key at fault.
  static std::expected<ConstraintFile, std::string> parse(const std::string &text, const Mesh &mesh);
};

} // namespace froe

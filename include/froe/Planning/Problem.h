#pragma once

#include "froe/Planning/SharedTable.h"
#include "froe/Sharding/Sharding.h"

#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace froe {

/// P4: memory that a node holds from step `live.begin` up to, not including, step `live.end`: one number of bytes for
/// each strategy.
struct MemoryUse {
  Interval live;
  SharedTable<int64_t> bytes;
  bool operator==(const MemoryUse &) const = default;
};

/// P1: something to decide: one of its strategies is chosen.
struct PlanNode {
  std::string name;
  SharedTable<double> cost;    ///< P2: seconds of each strategy, >= 0; infinity: must not be chosen
  std::vector<MemoryUse> uses; ///< output, weights, workspace: any number
  int fixed = -1;              ///< P6: the only strategy allowed, if >= 0

  int strategies() const { return static_cast<int>(cost.size()); }
  bool operator==(const PlanNode &) const = default;
};

/// P3: what the choices of two nodes cost together, seconds >= 0; infinity: they exclude each other.
struct PlanEdge {
  int from = 0, to = 0;
  SharedTable<double> cost; ///< row-major: strategies of `from` x strategies of `to`
  bool operator==(const PlanEdge &) const = default;
};

/// Choose a strategy for each node so that the sum of node and edge costs is smallest (P7), and the bytes live at each
/// step are at most the limit (P5). docs/planning.md numbers the model's parts P1 to P7.
///
/// As text, for tests and bug reports, a line each; an edge's rows are separated by `/`, `inf` excludes, `#` starts a
/// comment:
///
///   limit 100
///   node a cost 1 2.5 uses 0..3 60 30 uses 1..2 0 8
///   node b cost 4 inf fixed 0
///   edge a b cost 0 1 / 2 inf
struct Problem {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  std::vector<PlanNode> nodes;
  std::vector<PlanEdge> edges; ///< several between the same two nodes add up; none from a node to itself
  int64_t memoryLimit = kUnlimited;

  bool operator==(const Problem &) const = default;

  /// Why the problem is malformed, if it is: no strategies, sizes that disagree, an index out of range, a negative or
  /// NaN cost, negative bytes or limit, an empty or negative interval, sums that no number holds.
  std::optional<std::string> check() const;
  static std::expected<Problem, std::string> parse(std::string_view text);
  std::string str() const;
};

} // namespace froe

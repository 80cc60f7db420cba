#pragma once

#include "froe/Sharding/Rule.h"

namespace froe {

/// One way to run an op on a mesh: which axes cut which factor. What its operands must look like, and what its results
/// then look like, follows from the rule.
struct Strategy {
  std::vector<AxisList> factorAxes; ///< one entry a factor
  AxisList partialAxes;             ///< axes over which a partial form is used
  int partialForm = -1;             ///< which one (index into Rule::partials)
  ReduceKind partialKind = ReduceKind::Sum;
  std::vector<Sharding> operands;
  std::vector<Sharding> results;

  bool operator==(const Strategy &) const = default;
  /// `b=x k=y` : factor names and axis names; `replicated` where nothing is cut.
  std::string str(const Rule &rule, const Mesh &mesh) const;
};

/// The strategy that cuts `factorAxes`, or why it is not possible:
/// - a Whole factor is cut;
/// - a factor inside a dim of several factors is cut although a more major one is not fully cut (its block would not be
///   contiguous), or unevenly (blocks of the merged dim would not fall on the factor's blocks);
/// - two reduction factors of different kinds are cut, or one together with a partial form of another kind;
/// - an axis is used twice.
std::expected<Strategy, std::string> makeStrategy(const Rule &rule, const Mesh &mesh, std::vector<AxisList> factorAxes,
                                                  AxisList partialAxes = {}, int partialForm = -1,
                                                  ReduceKind partialKind = ReduceKind::Sum);

/// All strategies: every axis of the mesh (of size > 1) is given to one factor, to a partial form, or to none. Axis
/// order inside a factor is both ways, unless `ascendingOnly`. Factors smaller than the number of blocks are not cut.
/// In a fixed order, replicated first, without repeats. Partial forms are used with the kinds in `partialKinds` only:
/// those that some op of the program makes.
std::vector<Strategy> enumerateStrategies(const Rule &rule, const Mesh &mesh,
                                          std::span<const ReduceKind> partialKinds = kReduceKinds,
                                          bool ascendingOnly = false);

} // namespace froe

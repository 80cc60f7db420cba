#pragma once

#include "froe/Analysis/ProgramGraph.h"

namespace froe {

/// What people call the loop dimensions of a program: `batch`, `sequence`, `heads`, `hidden`, `vocabulary`.
///
/// Dims and factors that an edge or a rule joins are one *class*; a merged dim is of the class of its major factor,
/// since a cut falls on that. A class has the name that the model gives to a dim of an input, else one that tells its
/// use:
///
///   batch       first dim of the inputs
///   heads       both operands of a product and its result have it, no operand is a weight
///   experts     the same, where an operand is a weight
///   sequence    a softmax goes over it
///   head_dim    what is summed in a product of heads
///   group       query heads that share a head of keys and values
///   vocabulary  rows of the largest table that is gathered from; `entries` of the others
///   hidden      columns of such a table; what a normalisation goes over
///   ffn         columns of one weight and rows of the next
///   features    any other column or row of a weight
///
/// and otherwise `dim0`, `dim1`, ... by its place in the result, `inner` where the result lacks it.
class FactorNames {
public:
  FactorNames(const ProgramGraph &graph, mlir::func::FuncOp main);

  /// A name for each factor of a node's rule, distinct within the node.
  const std::vector<std::string> &of(size_t node) const { return names[node]; }
  /// A name for each dim of what a node hands on as result `result`; a merged dim has its major factor's.
  std::vector<std::string> dimsOf(const ProgramGraph &graph, size_t node, int result = 0) const;

private:
  std::vector<std::vector<std::string>> names;
};

/// A strategy as people read and write it, in names of factors and axes:
///
///   batch:x heads:y    rows of the batch are cut over x, heads over y
///   sum(ffn):x         each device sums its part; the result is to be summed over x
///   partial:x          works on terms that are still to be summed over x; `partial(1)` where only operand 1 has terms,
///                      `partial-max` for another kind
///   replicated         every device does everything
std::string strategyText(const Strategy &strategy, const Rule &rule, const std::vector<std::string> &factorNames,
                         const Mesh &mesh);
/// Whether `text` names this strategy: the parts of its text in any order, `=` for `:` allowed; or `Strategy::str`.
bool isStrategyText(const std::string &text, const Strategy &strategy, const Rule &rule,
                    const std::vector<std::string> &factorNames, const Mesh &mesh);

} // namespace froe

#pragma once

#include "Model.h"

namespace froe {

/// Nodes that are alike as far as they and their edges go: of each node, the number of its kind.
std::vector<int> kindsOf(const Model &model);

/// The model with those labels of each kind of nodes that are marked; `labels[node]` maps labels to those of `model`.
/// Nodes and edges that share tables still do.
Model selectLabels(const Model &model, const std::vector<int> &kinds, const std::vector<std::vector<bool>> &keep,
                   std::vector<SharedTable<int>> &labels);

} // namespace froe

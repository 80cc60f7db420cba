#pragma once

#include "../Model.h"
#include "Marginals.h"

namespace froe::fold {

/// A model less labels that no good choice takes. Like nodes keep the same labels, so that what repeats still does.
struct ReducedModel {
  Model model;
  std::vector<SharedTable<int>> labelsOf; ///< of each node: what its labels were
  size_t before = 0, after = 0;           ///< labels
  bool empty = false;                     ///< a node has none left

  /// Drops the labels that cost more than `allowed` above the bound that the marginals refer to.
  ReducedModel(const Model &from, const Marginals &marginals, double allowed);

  std::vector<int> labelsBefore(std::vector<int> labels) const {
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] = labelsOf[i][labels[i]];
    return labels;
  }
};

} // namespace froe::fold

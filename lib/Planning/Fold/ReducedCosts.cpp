#include "ReducedCosts.h"

#include "../SelectLabels.h"

#include <algorithm>

namespace froe::fold {

ReducedModel::ReducedModel(const Model &from, const Marginals &marginals, double allowed) : model(from) {
  std::vector<int> kinds = kindsOf(from);
  std::vector<std::vector<bool>> keep(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::vector<Number> &excess = marginals.of(static_cast<int>(i));
    std::vector<bool> &marks = keep[kinds[i]];
    marks.resize(excess.size());
    for (size_t label = 0; label < excess.size(); ++label)
      if (excess[label] <= allowed)
        marks[label] = true;
  }
  std::vector<size_t> counts;
  for (const std::vector<bool> &marks : keep)
    counts.push_back(static_cast<size_t>(std::ranges::count(marks, true)));
  for (int kind : kinds) {
    before += keep[kind].size();
    after += counts[kind];
    empty |= counts[kind] == 0;
  }
  if (!empty)
    model = selectLabels(from, kinds, keep, labelsOf);
}

} // namespace froe::fold

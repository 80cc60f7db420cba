#pragma once

#include "Model.h"

namespace froe {

/// A label for each node, with cost and memory kept up to date while labels change.
class Assignment {
public:
  Assignment(const Model &model, std::vector<int> labels);

  const std::vector<int> &getLabels() const { return labels; }
  double getCost() const { return cost; }
  int64_t peak() const;
  bool fits(int64_t limit) const { return peak() <= limit; }

  /// For each label of `node`, what node and edges cost with it, the rest unchanged; edges to `except` do not count.
  void costsAt(int node, std::vector<double> &costs, int except = -1) const;
  /// Sum over all slots of the bytes above `limit`, as a change, if `node` took `label`.
  int64_t excessChange(int node, int label, int64_t limit) const;
  int fullestSlot() const;
  void set(int node, int label);

private:
  void addUsage(int node, int sign);

  const Model &model;
  std::vector<int> labels;
  std::vector<int64_t> usage;
  double cost = 0;
};

/// Changes labels until at most `limit` bytes are live, always where a byte of the fullest slot costs least. False if
/// that gets stuck.
bool repair(const Model &model, Assignment &assignment, int64_t limit);

/// Changes one label, or those of two neighbours, as long as that is cheaper and fits the model's limit. Begins and
/// ends with an assignment that fits.
void improve(const Model &model, Assignment &assignment);

} // namespace froe

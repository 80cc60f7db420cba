#pragma once

#include "froe/Sharding/ReshardPlanner.h"

namespace froe {

/// The forms in which the users of one value need it, as a tree: each form comes from another by one step.
class ReshardVersions {
public:
  struct Version {
    Sharding sharding;
    int parent = -1; ///< what it is made from; -1: it is given
    ReshardStep step;
  };

  explicit ReshardVersions(const Sharding &given) { versions.push_back({given, -1, {}}); }

  /// Adds steps until every target is there, the cheapest path first, from whatever form is nearest; false where there
  /// is no way.
  bool connect(std::vector<Sharding> targets, std::span<const int64_t> shape, int64_t elementBytes,
               ReshardPlanner &planner);
  /// The index of a form; -1 where it is not there.
  int find(const Sharding &sharding) const;

  int size() const { return static_cast<int>(versions.size()); }
  /// The first one is given.
  const Version &operator[](int index) const { return versions[index]; }

private:
  void addPath(int from, const ReshardPath &path);

  std::vector<Version> versions;
};

} // namespace froe

#include "froe/Sharding/ReshardTable.h"

#include "ReshardTree.h"

#include <algorithm>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Seconds from all starts to every layout: Bellman and Ford's relaxation, of all starts at a time, since that is one
/// vector operation a move.
class Distances {
public:
  Distances(const ReshardMoves &graph, size_t starts)
      : starts(starts), seconds(graph.layouts.size() * starts, kInfinity) {
    for (size_t start = 0; start < starts; ++start)
      at(static_cast<int>(start))[start] = 0;
    std::vector<char> active(graph.layouts.size(), true);
    for (bool any = true; any;) {
      any = false;
      std::vector<char> next(graph.layouts.size(), false);
      for (const ReshardMoves::Move &move : graph.moves)
        if (active[move.from] && relax(at(move.from), at(move.to), move.seconds))
          any = active[move.to] = next[move.to] = true;
      active = std::move(next);
    }
  }

  double to(int layout, size_t start) const { return seconds[size_t(layout) * starts + start]; }

private:
  double *at(int layout) { return &seconds[size_t(layout) * starts]; }

  /// Whether some start is nearer now.
  bool relax(const double *from, double *to, double move) const {
    double gain = 0;
    for (size_t start = 0; start < starts; ++start) {
      double through = from[start] + move;
      gain = through < to[start] ? 1 : gain;
      to[start] = std::min(to[start], through);
    }
    return gain > 0;
  }

  size_t starts;
  std::vector<double> seconds; ///< by layout, then start
};
} // namespace

std::vector<double> reshardTable(std::span<const int64_t> shape, int64_t elementBytes,
                                 std::span<const Sharding *const> from, std::span<const Sharding *const> to,
                                 const Mesh &mesh, const StepCost &cost) {
  ReshardMoves distinct;
  std::vector<int> startOf;
  for (const Sharding *sharding : from)
    startOf.push_back(distinct.indexOf(Layout::of(*sharding)));
  ReshardMoves graph = ReshardMoves::from(distinct.layouts, shape, elementBytes, mesh, cost);
  Distances distances(graph, distinct.layouts.size());
  std::vector<double> table;
  table.reserve(from.size() * to.size());
  std::vector<int> targets;
  for (const Sharding *sharding : to) {
    auto known = graph.known.find(Layout::of(*sharding).key());
    targets.push_back(known == graph.known.end() ? -1 : known->second);
  }
  for (size_t i = 0; i < from.size(); ++i)
    for (size_t j = 0; j < to.size(); ++j) {
      bool possible = targets[j] >= 0 && (to[j]->partial.empty() || to[j]->partialKind == from[i]->partialKind);
      table.push_back(possible ? distances.to(targets[j], size_t(startOf[i])) : kInfinity);
    }
  return table;
}

} // namespace froe

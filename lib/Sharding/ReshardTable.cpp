#include "froe/Sharding/ReshardTable.h"

#include "ReshardTree.h"

#include <algorithm>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFar = std::numeric_limits<float>::infinity();
/// So many starts are worked out together: a few vector registers.
constexpr size_t kStrip = 32;

/// The moves by where they lead.
struct Arrivals {
  struct Move {
    int from;
    float seconds;
  };
  std::vector<int> first; ///< of each layout, and one more
  std::vector<Move> moves;

  explicit Arrivals(const ReshardMoves &graph) : first(graph.layouts.size() + 1), moves(graph.moves.size()) {
    for (const ReshardMoves::Move &move : graph.moves)
      ++first[move.to];
    int sum = 0;
    for (int &count : first)
      count = sum += count;
    for (const ReshardMoves::Move &move : graph.moves)
      moves[--first[move.to]] = {move.from, move.seconds};
  }
};

/// Brings every layout as near to a strip of starts as one more move allows, and says whether any came nearer. One
/// source for all widths of vectors: the loader picks the widest that the processor has.
__attribute__((target_clones("avx512f", "avx2", "default"))) bool sweep(const Arrivals &arrivals, float *strip) {
  float gain = 0;
  for (size_t to = 0; to + 1 < arrivals.first.size(); ++to) {
    float best[kStrip], *known = strip + to * kStrip;
    std::copy_n(known, kStrip, best);
    for (int i = arrivals.first[to]; i < arrivals.first[to + 1]; ++i) {
      const Arrivals::Move move = arrivals.moves[i];
      const float *from = strip + size_t(move.from) * kStrip;
      for (size_t k = 0; k < kStrip; ++k)
        best[k] = std::min(best[k], from[k] + move.seconds);
    }
    float nearer = 0;
    for (size_t k = 0; k < kStrip; ++k) {
      nearer = best[k] < known[k] ? 1 : nearer;
      known[k] = best[k];
    }
    gain = std::max(gain, nearer);
  }
  return gain > 0;
}

/// Seconds from all starts, the first layouts, to every layout: Bellman and Ford's relaxation of a strip of starts at a
/// time, since that is a few vector operations a move.
std::vector<float> distances(const ReshardMoves &graph, size_t starts) {
  size_t layouts = size_t(graph.layouts.size()), strips = (starts + kStrip - 1) / kStrip;
  Arrivals arrivals(graph);
  std::vector<float> seconds(strips * layouts * kStrip, kFar);
  for (size_t begin = 0; begin < starts; begin += kStrip) {
    float *strip = &seconds[begin * layouts];
    for (size_t start = begin; start < std::min(starts, begin + kStrip); ++start)
      strip[start * kStrip + (start - begin)] = 0;
    while (sweep(arrivals, strip)) {
    }
  }
  return seconds;
}
} // namespace

void ReshardTable::prepare(std::span<const Sharding *const> from) {
  KeyIndex wanted;
  for (int start = 0; start < starts; ++start)
    wanted.add(layouts[start]);
  for (const Sharding *sharding : from)
    wanted.add(Layout::of(*sharding).key());
  if (wanted.size() == starts)
    return;
  ReshardMoves graph = ReshardMoves::from(wanted, shape, elementBytes, mesh, cost);
  starts = wanted.size();
  seconds = distances(graph, size_t(starts));
  layouts = std::move(graph.layouts);
}

std::vector<double> ReshardTable::between(std::span<const Sharding *const> from, std::span<const Sharding *const> to) {
  prepare(from);
  std::vector<int> targets;
  for (const Sharding *sharding : to)
    targets.push_back(layouts.find(Layout::of(*sharding).key()));
  std::vector<double> table(from.size() * to.size());
  double *row = table.data();
  for (const Sharding *source : from) {
    auto start = size_t(layouts.find(Layout::of(*source).key()));
    const float *strip = &seconds[start / kStrip * size_t(layouts.size()) * kStrip + start % kStrip];
    for (size_t j = 0; j < to.size(); ++j) {
      bool possible = targets[j] >= 0 && (to[j]->partial.empty() || to[j]->partialKind == source->partialKind);
      row[j] = possible ? strip[size_t(targets[j]) * kStrip] : kInfinity;
    }
    row += to.size();
  }
  return table;
}

} // namespace froe

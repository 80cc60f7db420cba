#include "froe/Sharding/ReshardTable.h"

#include "ReshardTree.h"

#include <algorithm>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFar = std::numeric_limits<float>::infinity();

/// Takes a move from where all starts are `from` away; whether some start is nearer to its end now. One source for all
/// widths of vectors: the loader picks the widest that the processor has.
__attribute__((target_clones("avx512f", "avx2", "default"))) bool relax(const float *from, float *to, float move,
                                                                        size_t starts) {
  float gain = 0;
  for (size_t start = 0; start < starts; ++start) {
    float through = from[start] + move;
    gain = through < to[start] ? 1 : gain;
    to[start] = std::min(to[start], through);
  }
  return gain > 0;
}

/// Seconds from all starts, the first layouts, to every layout: Bellman and Ford's relaxation, of all starts at a time,
/// since that is one vector operation a move.
std::vector<float> distances(const ReshardMoves &graph, size_t starts) {
  std::vector<float> seconds(graph.layouts.size() * starts, kFar);
  auto at = [&](int layout) { return &seconds[size_t(layout) * starts]; };
  for (size_t start = 0; start < starts; ++start)
    at(static_cast<int>(start))[start] = 0;
  std::vector<char> active(graph.layouts.size(), true);
  for (bool any = true; any;) {
    any = false;
    std::vector<char> next(graph.layouts.size(), false);
    for (const ReshardMoves::Move &move : graph.moves)
      if (active[move.from] && relax(at(move.from), at(move.to), float(move.seconds), starts))
        any = active[move.to] = next[move.to] = true;
    active = std::move(next);
  }
  return seconds;
}
} // namespace

void ReshardTable::prepare(std::span<const Sharding *const> from) {
  ReshardMoves known;
  for (const auto &[key, index] : starts)
    known.known.emplace(key, index);
  known.layouts.resize(starts.size());
  for (const auto &[key, index] : starts)
    known.layouts[index] = Layout{__builtin_bit_cast(decltype(Layout::use), key)};
  for (const Sharding *sharding : from)
    known.indexOf(Layout::of(*sharding));
  if (known.layouts.size() == starts.size())
    return;
  ReshardMoves graph = ReshardMoves::from(known.layouts, shape, elementBytes, mesh, cost);
  seconds = distances(graph, known.layouts.size());
  starts = std::move(known.known);
  layouts = std::move(graph.known);
}

std::vector<double> ReshardTable::between(std::span<const Sharding *const> from, std::span<const Sharding *const> to) {
  prepare(from);
  std::vector<int> targets;
  for (const Sharding *sharding : to) {
    auto known = layouts.find(Layout::of(*sharding).key());
    targets.push_back(known == layouts.end() ? -1 : known->second);
  }
  std::vector<double> table;
  table.reserve(from.size() * to.size());
  for (const Sharding *source : from) {
    auto start = size_t(starts.at(Layout::of(*source).key()));
    for (size_t j = 0; j < to.size(); ++j) {
      bool possible = targets[j] >= 0 && (to[j]->partial.empty() || to[j]->partialKind == source->partialKind);
      table.push_back(possible ? seconds[size_t(targets[j]) * starts.size() + start] : kInfinity);
    }
  }
  return table;
}

} // namespace froe

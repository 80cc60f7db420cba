#pragma once

#include "froe/Sharding/KeyIndex.h"
#include "froe/Sharding/Layout.h"
#include "froe/Sharding/ReshardPath.h"

#include <unordered_map>

namespace froe {

/// A step without its vectors.
struct ReshardMove {
  ReshardStep::Kind kind = ReshardStep::Kind::Slice;
  int8_t dim = -1, fromDim = -1;
  int8_t count = 0;
  std::array<int8_t, Layout::kMaxAxes> axes{};
};

/// All moves between all layouts of one tensor that can be reached from some.
struct ReshardMoves {
  struct Move {
    int from, to; ///< indices of layouts
    float seconds;
  };
  KeyIndex layouts;        ///< by their keys, the starts first
  std::vector<Move> moves; ///< those from one layout are together

  static ReshardMoves from(const KeyIndex &starts, std::span<const int64_t> shape, int64_t elementBytes,
                           const Mesh &mesh, const MoveCost &cost);
};

/// The cheapest ways from one sharding to others: a tree of moves, grown by Dijkstra's algorithm.
class ReshardTree {
public:
  /// Grows until `target` is reached, or as far as it goes.
  static ReshardTree grow(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Mesh &mesh,
                          const StepCost &cost, const Sharding *target = nullptr);

  /// Infinity where no way leads to `to`.
  double costTo(const Sharding &to) const;
  std::optional<ReshardPath> pathTo(const Sharding &to) const;

private:
  friend class ReshardTreeBuilder;

  struct Node {
    Layout layout;
    double cost;
    int previous;
    int steps;
    ReshardMove move;
  };

  int find(const Sharding &to) const;

  size_t rank = 0;
  ReduceKind kind = ReduceKind::Sum;
  std::vector<Node> nodes;
  std::unordered_map<uint64_t, int> known;
};

} // namespace froe

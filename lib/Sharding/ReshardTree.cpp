#include "ReshardTree.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>

namespace froe {

namespace {
using Kind = ReshardStep::Kind;

bool combines(Kind kind) { return kind == Kind::AllReduce || kind == Kind::ReduceScatter; }
} // namespace

class ReshardTreeBuilder {
public:
  ReshardTreeBuilder(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Mesh &mesh,
                     const StepCost &cost)
      : shape(shape), elementBytes(elementBytes), mesh(mesh), cost(cost),
        step{.kind = Kind::Slice, .axes = {}, .result = Sharding::replicated(static_cast<int64_t>(shape.size()))} {
    tree.rank = shape.size();
    tree.kind = from.partialKind;
    for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
      axes.push_back(axis);
  }

  ReshardTree run(const Layout &start, const Layout *target) {
    reach(start, 0, 0, -1, {});
    while (!queue.empty()) {
      int current = std::get<2>(queue.top());
      queue.pop();
      if (closed[current])
        continue;
      closed[current] = true;
      if (target && tree.nodes[current].layout == *target)
        break;
      expand(current);
    }
    return std::move(tree);
  }

  /// All moves from layouts that can be reached from those in `graph`.
  void addMoves(ReshardMoves &graph, const MoveCost &priceOf) {
    moves = &graph;
    moveCost = &priceOf;
    for (from = 0; from < graph.layouts.size(); ++from)
      moveFrom(Layout::fromKey(graph.layouts[from]));
  }

private:
  using Axes = std::array<int8_t, Layout::kMaxAxes>;

  void expand(int current) {
    from = current;
    moveFrom(tree.nodes[current].layout);
  }

  void moveFrom(const Layout layout) { // a copy: the vector that it is in grows
    fromBytes = bytesOf(layout);
    for (int d = 0; d < static_cast<int>(tree.rank); ++d)
      shrink(layout, d);
    reduce(layout);
    for (uint8_t use : {Layout::kReplicated, Layout::kPartial})
      for (int d = 0; d < static_cast<int>(tree.rank); ++d) {
        ReshardMove move{.kind = use == Layout::kPartial ? Kind::ReduceScatter : Kind::Slice};
        move.dim = static_cast<int8_t>(d);
        grow(layout, layout, move, use);
      }
  }

  /// Gathers a dim's minor axes, or moves them to another dim.
  void shrink(const Layout &layout, int d) {
    Axes order;
    int total = axesOf(layout, d, order);
    for (int keep = total - 1; keep >= 0; --keep) {
      if (!blocksNest(shape[d], blocks(order, 0, keep), blocks(order, keep, total)))
        continue;
      ReshardMove move{.kind = Kind::AllGather};
      move.dim = static_cast<int8_t>(d);
      Layout result = layout;
      for (int i = keep; i < total; ++i) {
        move.axes[move.count++] = order[i];
        result.use[order[i]] = Layout::kReplicated;
      }
      take(move, result);
      move.kind = Kind::AllToAll;
      move.fromDim = static_cast<int8_t>(d);
      for (int e = 0; e < static_cast<int>(tree.rank); ++e)
        if (Layout moved = result; e != d && append(moved, move, e))
          take(move, moved);
    }
  }

  void reduce(const Layout &layout) {
    Axes partial;
    int total = 0;
    for (AxisIndex axis : axes)
      if (layout.use[axis] == Layout::kPartial)
        partial[total++] = static_cast<int8_t>(axis);
    for (unsigned subset = 1; subset < 1u << total; ++subset) {
      ReshardMove move{.kind = Kind::AllReduce};
      Layout result = layout;
      for (int i = 0; i < total; ++i)
        if (subset >> i & 1) {
          move.axes[move.count++] = partial[i];
          result.use[partial[i]] = Layout::kReplicated;
        }
      take(move, result);
    }
  }

  /// Cuts dim `move.dim` further, by each sequence of axes that so far are used as `use`. Several at once may be
  /// possible where one after the other is not: their blocks need not nest in those of the first alone.
  void grow(const Layout &layout, const Layout &sofar, ReshardMove move, uint8_t use) {
    int at = move.count++;
    for (AxisIndex axis : axes) {
      if (sofar.use[axis] != use)
        continue;
      move.axes[at] = static_cast<int8_t>(axis);
      Layout result = layout;
      if (append(result, move, move.dim))
        take(move, result);
      Layout taken = sofar;
      taken.use[axis] = Layout::cut(move.dim, 0); // no longer free; its position does not matter here
      grow(layout, taken, move, use);
    }
  }

  /// Makes the move's axes the minor axes of dim `d`; false where the blocks do not nest.
  bool append(Layout &layout, ReshardMove &move, int d) const {
    Axes order;
    int total = axesOf(layout, d, order);
    if (!blocksNest(shape[d], blocks(order, 0, total), blocks(move.axes, 0, move.count)))
      return false;
    for (int i = 0; i < move.count; ++i)
      layout.use[move.axes[i]] = Layout::cut(d, total + i);
    move.dim = static_cast<int8_t>(d);
    return true;
  }

  void take(const ReshardMove &move, const Layout &result) {
    if (moves)
      return addMove(move, result);
    auto it = tree.known.find(result.key());
    if (it != tree.known.end() && closed[it->second])
      return;
    const ReshardTree::Node &node = tree.nodes[from];
    reach(result, node.cost + secondsOf(move, result), node.steps + 1, from, move);
  }

  void addMove(const ReshardMove &move, const Layout &result) {
    int to = moves->layouts.add(result.key());
    if (to >= static_cast<int>(bytesOfLayout.size()))
      bytesOfLayout.resize(to + 1, -1);
    int64_t &bytes = bytesOfLayout[to];
    if (bytes < 0)
      bytes = bytesOf(result);
    unsigned set = 0;
    for (int i = 0; i < move.count; ++i)
      set |= 1u << move.axes[i];
    moves->moves.push_back({from, to, float((*moveCost)(move.kind, set, fromBytes, bytes))});
  }

  double secondsOf(const ReshardMove &move, const Layout &result) {
    step.kind = move.kind;
    step.dim = move.dim;
    step.fromDim = move.fromDim;
    step.axes.assign(move.axes.begin(), move.axes.begin() + move.count);
    step.reduce = combines(move.kind) ? tree.kind : ReduceKind::Sum;
    result.store(step.result, tree.kind);
    return cost(step, fromBytes, bytesOf(result));
  }

  void reach(const Layout &layout, double total, int steps, int previous, const ReshardMove &move) {
    auto [it, isNew] = tree.known.try_emplace(layout.key(), static_cast<int>(tree.nodes.size()));
    if (isNew) {
      tree.nodes.push_back({layout, std::numeric_limits<double>::infinity(), -1, 0, {}});
      closed.push_back(false);
    }
    ReshardTree::Node &node = tree.nodes[it->second];
    if (!isNew && std::pair(total, steps) >= std::pair(node.cost, node.steps))
      return;
    node = {layout, total, previous, steps, move};
    queue.emplace(total, steps, it->second);
  }

  /// The axes that cut `dim`, major first; returns their number.
  int axesOf(const Layout &layout, int dim, Axes &order) const {
    int count = 0;
    for (AxisIndex axis : axes)
      if (uint8_t use = layout.use[axis]; Layout::cuts(use) && Layout::dimOf(use) == dim) {
        order[Layout::positionOf(use)] = static_cast<int8_t>(axis);
        ++count;
      }
    return count;
  }

  int64_t blocks(const Axes &order, int begin, int end) const {
    int64_t count = 1;
    for (int i = begin; i < end; ++i)
      count *= mesh.axes[order[i]].size;
    return count;
  }

  int64_t bytesOf(const Layout &layout) const {
    std::array<int64_t, Layout::kMaxRank> cuts;
    std::fill_n(cuts.begin(), tree.rank, 1);
    for (AxisIndex axis : axes)
      if (uint8_t use = layout.use[axis]; Layout::cuts(use))
        cuts[Layout::dimOf(use)] *= mesh.axes[axis].size;
    int64_t bytes = elementBytes;
    for (size_t d = 0; d < tree.rank; ++d)
      bytes *= localSize(shape[d], cuts[d]);
    return bytes;
  }

  std::span<const int64_t> shape;
  int64_t elementBytes;
  const Mesh &mesh;
  const StepCost &cost;
  ReshardTree tree;
  ReshardMoves *moves = nullptr; ///< collected instead of growing the tree
  const MoveCost *moveCost = nullptr;
  std::vector<int64_t> bytesOfLayout; ///< of those that were moved to; -1: not known
  ReshardStep step;                   ///< reused for every question to `cost`
  AxisList axes;
  std::vector<bool> closed;
  int from = 0;
  int64_t fromBytes = 0;
  using Entry =
      std::tuple<double, int, int>; ///< cost, steps, node: ties go to fewer steps, then to what was reached first
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

ReshardTree ReshardTree::grow(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                              const Mesh &mesh, const StepCost &cost, const Sharding *target) {
  assert(mesh.axisCount() <= Layout::kMaxAxes && static_cast<int>(shape.size()) <= Layout::kMaxRank);
  assert(from.dims.size() == shape.size());
  Layout start = Layout::of(from), end = target ? Layout::of(*target) : start;
  return ReshardTreeBuilder(shape, elementBytes, from, mesh, cost).run(start, target ? &end : nullptr);
}

ReshardMoves ReshardMoves::from(const KeyIndex &starts, std::span<const int64_t> shape, int64_t elementBytes,
                                const Mesh &mesh, const MoveCost &cost) {
  ReshardMoves graph{.layouts = starts, .moves = {}};
  Sharding replicated = Sharding::replicated(static_cast<int64_t>(shape.size()));
  const StepCost none;
  ReshardTreeBuilder(shape, elementBytes, replicated, mesh, none).addMoves(graph, cost);
  return graph;
}

int ReshardTree::find(const Sharding &to) const {
  assert(to.dims.size() == rank);
  if (!to.partial.empty() && to.partialKind != kind)
    return -1;
  auto it = known.find(Layout::of(to).key());
  return it == known.end() ? -1 : it->second;
}

double ReshardTree::costTo(const Sharding &to) const {
  int index = find(to);
  return index < 0 ? std::numeric_limits<double>::infinity() : nodes[index].cost;
}

std::optional<ReshardPath> ReshardTree::pathTo(const Sharding &to) const {
  int last = find(to);
  if (last < 0)
    return std::nullopt;
  ReshardPath path;
  for (int i = last; nodes[i].previous >= 0; i = nodes[i].previous) {
    const ReshardMove &move = nodes[i].move;
    path.steps.push_back({.kind = move.kind,
                          .axes = AxisList(move.axes.begin(), move.axes.begin() + move.count),
                          .dim = move.dim,
                          .fromDim = move.fromDim,
                          .reduce = combines(move.kind) ? kind : ReduceKind::Sum,
                          .result = Sharding::replicated(static_cast<int64_t>(rank))});
    nodes[i].layout.store(path.steps.back().result, kind);
  }
  std::ranges::reverse(path.steps);
  return path;
}

} // namespace froe

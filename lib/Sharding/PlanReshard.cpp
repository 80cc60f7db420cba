#include "froe/Sharding/ReshardPath.h"

#include "Layout.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>
#include <unordered_map>

namespace froe {

namespace {
using Kind = ReshardStep::Kind;
using Order = std::array<AxisIndex, Layout::kMaxAxes>;

/// A step without its vectors.
struct Move {
  Kind kind;
  int dim = -1, fromDim = -1;
  int count = 0;
  Order axes{};
  Layout result;
};

/// What is known about one layout: the cheapest way to it so far.
struct Reached {
  Layout layout;
  double cost = std::numeric_limits<double>::infinity();
  int steps = 0;
  int previous = -1;
  Move move;
  int64_t bytes = 0;
  bool closed = false;
};

/// Dijkstra over the layouts that the axes and dims in use can form.
class Search {
public:
  Search(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from, const Sharding &to,
         const Mesh &mesh, const StepCost &cost)
      : shape(shape), elementBytes(elementBytes), mesh(mesh), cost(cost), target(Layout::of(to)),
        kind(from.partialKind), scratch{.kind = Kind::Slice, .axes = {}, .result = Sharding::replicated(shape.size())} {
    collectAxesAndDims(from, to);
  }

  std::optional<ReshardPath> run(const Layout &start) {
    reach(start, 0, 0, -1, {});
    while (!queue.empty()) {
      int current = std::get<2>(queue.top());
      queue.pop();
      if (reached[current].closed)
        continue;
      reached[current].closed = true;
      if (reached[current].layout == target)
        return pathTo(current);
      expand(current);
    }
    return std::nullopt;
  }

private:
  void collectAxesAndDims(const Sharding &from, const Sharding &to) {
    Layout begin = Layout::of(from);
    for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis)
      if (begin.use[axis] || target.use[axis])
        axes.push_back(axis);
    int spare = -1;
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
      if (!from.dims[d].empty() || !to.dims[d].empty())
        dims.push_back(d);
      else if (spare < 0 || shape[d] > shape[spare])
        spare = d;
    }
    // One unused dim is enough to park an axis on while two dims exchange theirs.
    if (spare >= 0 && dims.size() > 1)
      dims.push_back(spare);
  }

  void expand(int current) {
    // A copy: reaching new layouts grows the vector.
    const Layout layout = reached[current].layout;
    for (int d : dims)
      shrink(current, layout, d);
    reduceAll(current, layout);
    for (int d : dims)
      grow(current, layout, d);
  }

  /// Gathers a dim's minor axes, or moves them to another dim.
  void shrink(int current, const Layout &layout, int d) {
    Order order;
    int total = layout.axesOf(d, order);
    for (int keep = total - 1; keep >= 0; --keep) {
      int64_t before = blocks(order, 0, keep), parts = blocks(order, keep, total);
      if (!blocksNest(shape[d], before, parts))
        continue;
      Move gather{.kind = Kind::AllGather, .dim = d, .count = total - keep, .axes = {}, .result = layout};
      std::copy(order.begin() + keep, order.begin() + total, gather.axes.begin());
      for (int i = keep; i < total; ++i)
        gather.result.use[order[i]] = Layout::kReplicated;
      take(current, gather);
      for (int e : dims)
        if (e != d)
          moveTo(current, gather, d, e);
    }
  }

  void moveTo(int current, const Move &gather, int d, int e) {
    Move exchange = gather;
    exchange.kind = Kind::AllToAll;
    exchange.fromDim = d;
    if (append(exchange, e))
      take(current, exchange);
  }

  /// Makes `move.axes` the minor axes of dim `d`. False where that is not legal, or has no use: several axes at once
  /// serve only to end up with a prefix of the list wanted.
  bool append(Move &move, int d) const {
    Order order;
    int total = move.result.axesOf(d, order);
    int64_t before = blocks(order, 0, total), parts = blocks(move.axes, 0, move.count);
    if (!blocksNest(shape[d], before, parts))
      return false;
    for (int i = 0; i < move.count; ++i)
      move.result.use[move.axes[i]] = Layout::cut(d, total + i);
    move.dim = d;
    return move.count == 1 || isPrefixOfTarget(move.result, d);
  }

  bool isPrefixOfTarget(const Layout &layout, int d) const {
    return std::ranges::all_of(axes, [&](AxisIndex axis) {
      uint8_t use = layout.use[axis];
      return !Layout::cuts(use) || Layout::dimOf(use) != d || target.use[axis] == use;
    });
  }

  void reduceAll(int current, const Layout &layout) {
    AxisList partial;
    for (AxisIndex axis : axes)
      if (layout.use[axis] == Layout::kPartial && target.use[axis] != Layout::kPartial)
        partial.push_back(axis);
    for (unsigned subset = 1; subset < 1u << partial.size(); ++subset) {
      Move move{.kind = Kind::AllReduce, .axes = {}, .result = layout};
      for (size_t i = 0; i < partial.size(); ++i)
        if (subset >> i & 1) {
          move.axes[move.count++] = partial[i];
          move.result.use[partial[i]] = Layout::kReplicated;
        }
      take(current, move);
    }
  }

  /// Cuts dim `d` further: by one axis, or by all that the target's list still lacks.
  void grow(int current, const Layout &layout, int d) {
    for (uint8_t use : {Layout::kReplicated, Layout::kPartial}) {
      Kind kind = use == Layout::kPartial ? Kind::ReduceScatter : Kind::Slice;
      for (AxisIndex axis : axes) {
        Move move{.kind = kind, .count = 1, .axes = {axis}, .result = layout};
        if (layout.use[axis] == use && target.use[axis] != Layout::kPartial && append(move, d))
          take(current, move);
      }
      growToTarget(current, layout, d, kind, use);
    }
  }

  void growToTarget(int current, const Layout &layout, int d, Kind kind, uint8_t use) {
    Order have, want;
    int present = layout.axesOf(d, have), wanted = target.axesOf(d, want);
    Move move{.kind = kind, .axes = {}, .result = layout};
    for (int i = present; i < wanted && layout.use[want[i]] == use; ++i) {
      move.axes[move.count++] = want[i];
      Move partly = move;
      if (move.count > 1 && append(partly, d))
        take(current, partly);
    }
  }

  void take(int current, const Move &move) {
    auto it = known.find(move.result.key());
    if (it != known.end() && reached[it->second].closed)
      return;
    scratch.kind = move.kind;
    scratch.dim = move.dim;
    scratch.fromDim = move.fromDim;
    scratch.axes.assign(move.axes.begin(), move.axes.begin() + move.count);
    scratch.reduce = move.kind == Kind::AllReduce || move.kind == Kind::ReduceScatter ? kind : ReduceKind::Sum;
    move.result.store(scratch.result, kind);
    double seconds = cost(scratch, reached[current].bytes, localBytes(shape, elementBytes, scratch.result, mesh));
    reach(move.result, reached[current].cost + seconds, reached[current].steps + 1, current, move);
  }

  void reach(const Layout &layout, double total, int steps, int previous, const Move &move) {
    auto [it, isNew] = known.try_emplace(layout.key(), static_cast<int>(reached.size()));
    if (isNew) {
      layout.store(scratch.result, kind);
      reached.push_back({.layout = layout, .move = {}, .bytes = localBytes(shape, elementBytes, scratch.result, mesh)});
    }
    Reached &state = reached[it->second];
    if (!isNew && std::pair(total, steps) >= std::pair(state.cost, state.steps))
      return;
    state.cost = total;
    state.steps = steps;
    state.previous = previous;
    state.move = move;
    queue.emplace(total, steps, it->second);
  }

  ReshardPath pathTo(int last) const {
    ReshardPath path;
    for (int i = last; reached[i].previous >= 0; i = reached[i].previous) {
      const Move &move = reached[i].move;
      bool reduces = move.kind == Kind::AllReduce || move.kind == Kind::ReduceScatter;
      path.steps.push_back({.kind = move.kind,
                            .axes = AxisList(move.axes.begin(), move.axes.begin() + move.count),
                            .dim = move.dim,
                            .fromDim = move.fromDim,
                            .reduce = reduces ? kind : ReduceKind::Sum,
                            .result = Sharding::replicated(shape.size())});
      move.result.store(path.steps.back().result, kind);
    }
    std::ranges::reverse(path.steps);
    return path;
  }

  int64_t blocks(const Order &order, int begin, int end) const {
    int64_t count = 1;
    for (int i = begin; i < end; ++i)
      count *= mesh.axes[order[i]].size;
    return count;
  }

  std::span<const int64_t> shape;
  int64_t elementBytes;
  const Mesh &mesh;
  const StepCost &cost;
  Layout target;
  ReduceKind kind;
  ReshardStep scratch; ///< reused for every question to `cost`
  AxisList axes;
  std::vector<int> dims;
  std::vector<Reached> reached;
  std::unordered_map<uint64_t, int> known;
  using Entry =
      std::tuple<double, int, int>; ///< cost, steps, index: ties go to fewer steps, then to the one reached first
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

bool reachable(const Sharding &from, const Sharding &to) {
  if (!to.partial.empty() && from.partialKind != to.partialKind)
    return false;
  return std::ranges::includes(from.partial, to.partial);
}
} // namespace

std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh, const StepCost &cost) {
  assert(mesh.axisCount() <= Layout::kMaxAxes && static_cast<int>(shape.size()) <= Layout::kMaxRank);
  assert(from.dims.size() == shape.size() && to.dims.size() == shape.size());
  if (!reachable(from, to))
    return std::nullopt;
  return Search(shape, elementBytes, from, to, mesh, cost).run(Layout::of(from));
}

std::optional<ReshardPath> planReshard(std::span<const int64_t> shape, int64_t elementBytes, const Sharding &from,
                                       const Sharding &to, const Mesh &mesh) {
  // The constant keeps tiny tensors from taking long ways; a cut without communication costs next to nothing.
  constexpr double kBytesPerCollective = 256, kBytesPerSlice = 1;
  return planReshard(shape, elementBytes, from, to, mesh, [&](const ReshardStep &step, int64_t before, int64_t after) {
    double fixed = step.kind == ReshardStep::Kind::Slice ? kBytesPerSlice : kBytesPerCollective;
    return fixed + static_cast<double>(bytesSentIn(step, mesh, before, after));
  });
}

} // namespace froe

#include "Layers.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace froe {

namespace {

bool isSource(const std::string &op) { return op == "weight" || op == "constant" || op == "iota"; }

/// The ops that do work, in order, and what flows between them.
struct OpSequence {
  std::vector<int> nodes;                 ///< of the graph
  std::vector<int> kinds;                 ///< equal for ops that do the same on equal shapes
  std::vector<int> anchors;               ///< positions of products
  std::vector<std::pair<int, int>> flows; ///< positions of a maker and a user
  std::vector<int> liveBefore;            ///< values that cross the cut before a position

  explicit OpSequence(const ProgramGraph &graph) {
    std::vector<int> positions(graph.nodes.size(), -1); // of tensor nodes: their op's
    std::map<std::string, int> known;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode &node = graph.nodes[i];
      if (node.kind == GraphNode::Kind::Tensor)
        positions[i] = nodes.empty() ? -1 : static_cast<int>(nodes.size()) - 1;
      std::string op = node.opName();
      if (node.kind != GraphNode::Kind::Op || isSource(op))
        continue;
      positions[i] = static_cast<int>(nodes.size());
      if (op == "contract")
        anchors.push_back(positions[i]);
      nodes.push_back(static_cast<int>(i));
      kinds.push_back(known.try_emplace(kindOf(op, node.rule), static_cast<int>(known.size())).first->second);
    }
    for (const GraphEdge &edge : graph.edges)
      if (positions[edge.from] >= 0 && positions[edge.to] > positions[edge.from])
        flows.push_back({positions[edge.from], positions[edge.to]});
    countLive();
  }

private:
  static std::string kindOf(const std::string &op, const Rule &rule) {
    std::string text = op + rule.str();
    for (const Factor &factor : rule.factors)
      text += fmt::format("/{}", factor.size);
    return text;
  }

  void countLive() {
    std::vector<int> lastUse(nodes.size(), -1);
    for (auto [from, to] : flows)
      lastUse[from] = std::max(lastUse[from], to);
    std::vector<int> changes(nodes.size() + 2, 0);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (lastUse[i] >= 0)
        ++changes[i + 1], --changes[lastUse[i] + 1];
    int live = 0;
    for (size_t i = 0; i <= nodes.size(); ++i)
      liveBefore.push_back(live += changes[i]);
  }
};

/// Anchors [begin, begin + period * count) repeat with a period.
struct Repetition {
  int begin = 0, period = 0, count = 0;
  int end() const { return begin + period * count; }
};

/// The repetition that covers most anchors of [begin, end), the shortest period first.
Repetition longestRepetition(const OpSequence &ops, int begin, int end) {
  auto kind = [&](int anchor) { return ops.kinds[ops.anchors[anchor]]; };
  Repetition best;
  for (int period = 1; 2 * period <= end - begin; ++period)
    for (int i = begin, equal = 0; i < end - period; ++i) {
      equal = kind(i) == kind(i + period) ? equal + 1 : 0;
      int count = (equal + period) / period;
      if (count >= 2 && count * period > best.count * best.period)
        best = {i + 1 - equal, period, count};
    }
  return best;
}

class LayerFinder {
public:
  explicit LayerFinder(const ProgramGraph &graph) : ops(graph) {
    layers.places.resize(graph.nodes.size());
    find(0, static_cast<int>(ops.anchors.size()));
    placeWeights(graph);
  }

  Layers layers;

private:
  void find(int begin, int end) {
    Repetition found = longestRepetition(ops, begin, end);
    if (found.count < 2)
      return;
    find(begin, found.begin);
    if (isChain(found))
      place(found);
    find(found.end(), end);
  }

  int anchor(const Repetition &run, int layer, int index) const {
    return ops.anchors[run.begin + layer * run.period + index];
  }

  /// Each layer reads what the one before it made; three products of one value are no layers.
  bool isChain(const Repetition &run) const {
    std::vector<bool> reached(run.count, false);
    auto layerOf = [&](int position) {
      auto next = std::ranges::upper_bound(ops.anchors, position) - ops.anchors.begin() - 1 - run.begin;
      return next < 0 ? -1 : static_cast<int>(next) / run.period;
    };
    for (auto [from, to] : ops.flows) {
      int source = layerOf(from), target = layerOf(to);
      // What lies before a layer's first product counts to the layer before.
      if (source >= 0 && target >= 0 && target < run.count && target == source + 1)
        reached[target] = true;
    }
    return std::all_of(reached.begin() + 1, reached.end(), [](bool is) { return is; });
  }

  /// Where one layer ends between two products: where fewest values cross, the earliest such cut.
  int boundary(int lastAnchor, int nextAnchor) const {
    int best = lastAnchor + 1;
    for (int i = lastAnchor + 1; i <= nextAnchor; ++i)
      if (ops.liveBefore[i] < ops.liveBefore[best])
        best = i;
    return best;
  }

  void place(const Repetition &run) {
    int sample = run.count > 2 ? 1 : 0;
    int last = anchor(run, sample, run.period - 1), next = anchor(run, sample + 1, 0);
    int cut = boundary(last, next);
    std::vector<int> tail(ops.kinds.begin() + last + 1, ops.kinds.begin() + cut);
    std::vector<int> head(ops.kinds.begin() + cut, ops.kinds.begin() + next);
    int firstLayer = layers.runs.empty() ? 0 : layers.runs.back().first + layers.runs.back().count;
    layers.runs.push_back({firstLayer, run.count});
    for (int layer = 0; layer < run.count; ++layer)
      placeLayer(run, layer, firstLayer + layer, head, tail);
    nextRole += roles(run, head, tail);
  }

  int roles(const Repetition &run, const std::vector<int> &head, const std::vector<int> &tail) const {
    return static_cast<int>(head.size() + tail.size()) + 1 + anchor(run, 1, run.period - 1) - anchor(run, 1, 0);
  }

  void placeLayer(const Repetition &run, int layer, int number, const std::vector<int> &head,
                  const std::vector<int> &tail) {
    int role = nextRole, first = anchor(run, layer, 0), last = anchor(run, layer, run.period - 1);
    for (int position = first - 1, i = static_cast<int>(head.size()) - 1; i >= 0 && position >= 0; --position)
      if (ops.kinds[position] == head[i])
        put(position, number, role + i--);
    role += static_cast<int>(head.size());
    for (int index = 0; index + 1 < run.period; ++index) { // as in layer 1, which makes nothing for other layers
      int from = anchor(run, 1, index), to = anchor(run, 1, index + 1);
      match(anchor(run, layer, index), anchor(run, layer, index + 1),
            {ops.kinds.begin() + from, ops.kinds.begin() + to}, number, role);
      role += to - from;
    }
    put(last, number, role++);
    int end = std::min<int>(last + 1 + 4 * (static_cast<int>(tail.size()) + 1), static_cast<int>(ops.nodes.size()));
    match(last + 1, end, tail, number, role);
  }

  /// Finds ops of these kinds in order among those at [begin, end).
  void match(int begin, int end, const std::vector<int> &kinds, int layer, int role) {
    size_t i = 0;
    for (int position = begin; position < end && i < kinds.size(); ++position)
      if (ops.kinds[position] == kinds[i])
        put(position, layer, role + static_cast<int>(i++));
  }

  void put(int position, int layer, int role) {
    Layers::Place &place = layers.places[ops.nodes[position]];
    if (place.layer < 0)
      place = {layer, role};
  }

  /// A weight belongs where all its users are; so do other sources.
  void placeWeights(const ProgramGraph &graph) {
    std::vector<std::set<int>> users(graph.nodes.size());
    for (const GraphEdge &edge : graph.edges)
      users[edge.from].insert(layers.places[edge.to].layer);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (layers.places[i].layer < 0 && users[i].size() == 1 && isSource(graph.nodes[i].opName()))
        layers.places[i].layer = *users[i].begin();
  }

  OpSequence ops;
  int nextRole = 0;
};

} // namespace

Layers findLayers(const ProgramGraph &graph) { return LayerFinder(graph).layers; }

} // namespace froe

#include "Segments.h"

#include "froe/Analysis/KernelForecast.h"

#include "dialects/Froe/Froe.h"

#include <map>

namespace froe {

namespace {
bool isStep(const GraphNode &node) { return node.kind == GraphNode::Kind::Op || node.kind == GraphNode::Kind::Tensor; }

/// Views, and values that are never stored since every kernel that needs them makes them again, e.g. a mask: stages
/// do so, too, and what crosses a cut is what they are made of.
std::vector<bool> repeatedEverywhere(const ProgramGraph &graph) {
  std::vector<bool> repeated(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode &node = graph.nodes[i];
    mlir::Operation *op = isStep(node) ? node.value.getDefiningOp() : nullptr;
    repeated[i] = llvm::isa_and_nonnull<BroadcastOp, ReshapeOp>(op) && !graph.forecast->isStored(node.value);
  }
  return repeated;
}

/// Where each node is needed last: of one that is repeated where its users are, else where it is itself.
std::vector<int> neededUntil(const ProgramGraph &graph, const std::vector<bool> &repeated) {
  std::vector<int> until;
  for (const GraphNode &node : graph.nodes)
    until.push_back(node.position);
  for (const GraphEdge &edge : llvm::reverse(graph.edges)) // users first
    if (repeated[edge.from] && isStep(graph.nodes[edge.to]))
      until[edge.from] = std::max(until[edge.from], until[edge.to]);
  return until;
}

/// The position behind which each node's value, by result, is used no more. A program's results stay where they are
/// made.
std::map<std::pair<int, int>, int> lastUses(const ProgramGraph &graph, const std::vector<bool> &independent) {
  std::vector<bool> repeated = repeatedEverywhere(graph);
  std::vector<int> until = neededUntil(graph, repeated);
  std::map<std::pair<int, int>, int> last;
  for (const GraphEdge &edge : graph.edges)
    if (isStep(graph.nodes[edge.from]) && isStep(graph.nodes[edge.to]) && !independent[edge.from] &&
        !repeated[edge.from]) {
      int &position = last[{edge.from, edge.result}];
      position = std::max(position, until[edge.to]);
    }
  return last;
}

int64_t wholeBytes(mlir::Value value) {
  int64_t bytes = elementBytesOf(value);
  for (int64_t size : shapeOf(value))
    bytes *= size;
  return bytes;
}
} // namespace

std::vector<bool> independentOfInputs(const ProgramGraph &graph) {
  std::vector<bool> independent(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    independent[i] = isStep(graph.nodes[i]);
  for (const GraphEdge &edge : graph.edges) // in the order of their users
    if (!independent[edge.from])
      independent[edge.to] = false;
  return independent;
}

std::vector<CutPoint> cutPointsOf(const ProgramGraph &graph) {
  std::vector<bool> independent = independentOfInputs(graph);
  int end = 0;
  for (const GraphNode &node : graph.nodes)
    end = std::max(end, node.position);
  std::vector<std::vector<CutPoint::Crossing>> values(end + 1);
  std::vector<bool> possible(end + 1, false);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == GraphNode::Kind::Op && !independent[i])
      possible[graph.nodes[i].position] = true;
  for (const auto &[source, last] : lastUses(graph, independent)) {
    const GraphNode &node = graph.nodes[source.first];
    mlir::Value value = node.kind == GraphNode::Kind::Op ? node.op->getResult(source.second) : node.value;
    for (int position = node.position + 1; position <= std::min(last, end); ++position) {
      values[position].push_back({source.first, source.second, value});
      if (!graph.forecast->isStored(value))
        possible[position] = false;
    }
  }
  std::vector<CutPoint> cuts;
  for (int position = 1; position <= end; ++position) {
    if (!possible[position] || values[position].empty())
      continue;
    CutPoint cut{position, std::move(values[position]), 0};
    for (const CutPoint::Crossing &crossing : cut.values)
      cut.bytes += wholeBytes(crossing.value);
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

namespace {
/// Copies nodes and edges of one segment.
class SegmentBuilder {
public:
  SegmentBuilder(const ProgramGraph &graph, int begin, int end, const WireForm &wireForm)
      : graph(graph), begin(begin), end(end), wireForm(wireForm), wanted(graph.nodes.size()),
        index(graph.nodes.size(), -1) {
    choose();
  }

  Segment build() {
    segment.graph.mesh = graph.mesh;
    addIncoming();
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (wanted[i] && graph.nodes[i].kind == GraphNode::Kind::Input)
        add(static_cast<int>(i));
    shareIncoming();
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (wanted[i] && isStep(graph.nodes[i]))
        add(static_cast<int>(i));
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (wanted[i] && graph.nodes[i].kind == GraphNode::Kind::Output)
        add(static_cast<int>(i));
    addEdges();
    segment.graph.forecast = graph.forecast;
    findUses(segment.graph);
    return std::move(segment);
  }

private:
  bool inside(int node) const { return graph.nodes[node].position >= begin && graph.nodes[node].position < end; }

  /// Own ops, and what they use that every stage has for itself.
  void choose() {
    independent = independentOfInputs(graph);
    repeated = repeatedEverywhere(graph);
    until = neededUntil(graph, repeated);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      wanted[i] = isStep(graph.nodes[i]) && !independent[i] && inside(static_cast<int>(i));
    for (const GraphEdge &edge : graph.edges)
      if (graph.nodes[edge.to].kind == GraphNode::Kind::Output && wanted[edge.from])
        wanted[edge.to] = true;
    for (size_t e = graph.edges.size(); e-- > 0;) {
      const GraphEdge &edge = graph.edges[e];
      bool everywhere =
          independent[edge.from] || repeated[edge.from] || graph.nodes[edge.from].kind == GraphNode::Kind::Input;
      if (wanted[edge.to] && everywhere)
        wanted[edge.from] = true;
    }
  }

  int append(GraphNode node, int origin, bool crosses) {
    segment.graph.nodes.push_back(std::move(node));
    segment.origins.push_back(origin);
    segment.crosses.push_back(crosses);
    return static_cast<int>(segment.graph.nodes.size()) - 1;
  }

  void add(int node) {
    GraphNode copy = graph.nodes[node];
    if (repeated[node])
      copy.position = std::max(copy.position, begin);
    index[node] = append(std::move(copy), node, false);
  }

  /// A node of one strategy that stands for a value at the edge of the segment.
  GraphNode terminal(GraphNode::Kind kind, const GraphEdge &edge, int position) {
    GraphNode node;
    node.kind = kind;
    node.value = edge.value;
    node.position = position;
    node.name = graph.nodes[edge.from].name;
    Strategy only;
    only.results = {wireForm(edge.from, edge.result)};
    node.strategies = {std::move(only)};
    return node;
  }

  void addIncoming() {
    for (const GraphEdge &edge : graph.edges)
      if (wanted[edge.to] && !wanted[edge.from] && !incoming.contains({edge.from, edge.result}))
        incoming[{edge.from, edge.result}] = append(terminal(GraphNode::Kind::Input, edge, 0), edge.from, true);
  }

  /// What comes in for several users is handed on in one form that suits them, as in the whole graph.
  void shareIncoming() {
    for (const GraphEdge &edge : graph.edges) {
      auto source = incoming.find({edge.to, 0});
      if (source == incoming.end() || graph.nodes[edge.to].kind != GraphNode::Kind::Tensor)
        continue;
      GraphNode tensor = graph.nodes[edge.to];
      tensor.position = begin;
      GraphEdge copy = edge;
      copy.from = source->second;
      copy.result = 0;
      copy.to = source->second = append(std::move(tensor), edge.to, true);
      segment.graph.edges.push_back(std::move(copy));
    }
  }

  void addEdges() {
    std::map<std::pair<int, int>, int> outgoing;
    for (const GraphEdge &edge : graph.edges) {
      GraphEdge copy = edge;
      if (wanted[edge.to]) {
        auto source = incoming.find({edge.from, edge.result});
        copy.from = wanted[edge.from] ? index[edge.from] : source->second;
        copy.result = wanted[edge.from] ? edge.result : 0; // of one result, as all with terminals
        copy.to = index[edge.to];
        segment.graph.edges.push_back(copy);
      }
      bool leaves = wanted[edge.from] && !independent[edge.from] && !repeated[edge.from] &&
                    isStep(graph.nodes[edge.from]) && isStep(graph.nodes[edge.to]) && until[edge.to] >= end;
      if (!leaves || outgoing.contains({edge.from, edge.result}))
        continue;
      copy.from = index[edge.from];
      copy.result = edge.result;
      copy.to = append(terminal(GraphNode::Kind::Output, edge, end), edge.from, true);
      copy.operands = {0};
      outgoing[{edge.from, edge.result}] = copy.to;
      segment.graph.edges.push_back(std::move(copy));
    }
  }

  const ProgramGraph &graph;
  int begin, end;
  const WireForm &wireForm;
  std::vector<bool> wanted, independent, repeated;
  std::vector<int> until; ///< where each node is needed last
  std::vector<int> index; ///< in the segment
  std::map<std::pair<int, int>, int> incoming;
  Segment segment;
};
} // namespace

Segment segmentOf(const ProgramGraph &graph, int begin, int end, const WireForm &wireForm) {
  return SegmentBuilder(graph, begin, end, wireForm).build();
}

} // namespace froe

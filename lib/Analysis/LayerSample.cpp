#include "LayerSample.h"

#include "froe/Planning/Slots.h"

#include "dialects/Froe/Froe.h"

#include <algorithm>
#include <set>

namespace froe {

namespace {
constexpr int kFewestLayers = 2;
/// A period that does not show in so many ops of one kind is none.
constexpr int kMostPeriods = 32;

bool isSource(const GraphNode &node) {
  return node.kind == GraphNode::Kind::Input ||
         (node.kind == GraphNode::Kind::Op && llvm::isa<WeightOp, ConstantOp, IotaOp>(node.op));
}

/// A graph as a sequence of what it computes; sources and outputs belong to their users and makers.
struct Sequence {
  const ProgramGraph &graph;
  std::vector<int> steps;                  ///< nodes
  std::vector<int> stepOf;                 ///< of each node; -1: a source or an output
  std::vector<std::vector<int>> into, out; ///< edges, by node
  std::vector<std::vector<int>> liveSlots; ///< of each node's uses
  int slots = 0;

  explicit Sequence(const ProgramGraph &graph)
      : graph(graph), stepOf(graph.nodes.size(), -1), into(graph.nodes.size()), out(graph.nodes.size()) {
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      into[graph.edges[e].to].push_back(static_cast<int>(e));
      out[graph.edges[e].from].push_back(static_cast<int>(e));
    }
    std::vector<Slots::Use> uses;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode &node = graph.nodes[i];
      for (const ValueUse &use : node.uses)
        uses.push_back({use.live, 1});
      if (isSource(node) || node.kind == GraphNode::Kind::Output)
        continue;
      stepOf[i] = static_cast<int>(steps.size());
      steps.push_back(static_cast<int>(i));
    }
    Slots all(uses, 0);
    slots = all.count();
    for (const GraphNode &node : graph.nodes) {
      liveSlots.emplace_back();
      for (const ValueUse &use : node.uses)
        liveSlots.back().push_back(all.at(use.live.end) - all.at(use.live.begin));
    }
  }

  int count() const { return static_cast<int>(steps.size()); }
};

/// Which steps do the same as those a period later.
class PeriodMatcher {
public:
  PeriodMatcher(const Sequence &sequence, int period)
      : sequence(sequence), graph(sequence.graph), period(period), next(graph.nodes.size(), -1),
        previous(graph.nodes.size(), -1) {}

  /// The steps around `middle`, [first, second), that match; sources that they use go with them.
  std::pair<int, int> around(int middle) {
    int begin = middle, end = middle;
    while (end + period < sequence.count() && matches(end))
      ++end;
    while (begin > 0 && matches(begin - 1))
      --begin;
    return {begin, end};
  }

private:
  bool alike(int node, int other) const {
    const GraphNode &one = graph.nodes[node], &two = graph.nodes[other];
    bool weighs = one.kind == GraphNode::Kind::Op && !isSource(one);
    return one.kind == two.kind && one.ruleClass == two.ruleClass && one.opName() == two.opName() &&
           one.value.getType() == two.value.getType() && (!weighs || one.opClass == two.opClass) &&
           sequence.liveSlots[node] == sequence.liveSlots[other];
  }

  bool matches(int step) {
    int node = sequence.steps[step], other = sequence.steps[step + period];
    if (!alike(node, other))
      return false;
    std::vector<std::pair<int, int>> pairs; // of sources
    const std::vector<int> &into = sequence.into[node], &intoOther = sequence.into[other];
    if (into.size() != intoOther.size())
      return false;
    for (size_t k = 0; k < into.size(); ++k) {
      const GraphEdge &one = graph.edges[into[k]], &two = graph.edges[intoOther[k]];
      if (one.edgeClass != two.edgeClass)
        return false;
      int from = sequence.stepOf[one.from], fromOther = sequence.stepOf[two.from];
      bool sources = from < 0 && fromOther < 0;
      if (sources && alike(one.from, two.from))
        pairs.emplace_back(one.from, two.from);
      else if (sources || (one.from != two.from && fromOther != from + period))
        return false;
    }
    return sameOutputs(node, other) && std::ranges::all_of(pairs, [&](auto pair) { return join(pair); });
  }

  bool sameOutputs(int node, int other) const {
    auto outputs = [&](int maker) {
      std::vector<int> found;
      for (int e : sequence.out[maker])
        if (graph.nodes[graph.edges[e].to].kind == GraphNode::Kind::Output)
          found.push_back(e);
      return found;
    };
    return std::ranges::equal(outputs(node), outputs(other), [&](int e, int f) {
      return graph.edges[e].edgeClass == graph.edges[f].edgeClass && alike(graph.edges[e].to, graph.edges[f].to);
    });
  }

  /// A source that two ops of a layer share has one counterpart.
  bool join(std::pair<int, int> pair) {
    int &forwards = next[pair.first], &backwards = previous[pair.second];
    bool fits = (forwards < 0 || forwards == pair.second) && (backwards < 0 || backwards == pair.first);
    forwards = pair.second;
    backwards = pair.first;
    return fits;
  }

  const Sequence &sequence;
  const ProgramGraph &graph;
  int period;
  std::vector<int> next, previous; ///< sources a period on, and before
};

/// Steps [begin, end) do what those a period before do, as far as they are in it.
struct Repetition {
  int begin = 0, end = 0, period = 0;
};

/// The longest repetition around the middle of the program, the shortest period first.
Repetition findRepetition(const Sequence &sequence) {
  Repetition best;
  const ProgramGraph &graph = sequence.graph;
  int middle = sequence.count() / 2, covered = 0, tried = 0;
  if (sequence.count() == 0)
    return best;
  const GraphNode &sample = graph.nodes[sequence.steps[middle]];
  for (int step = middle + 1; step < sequence.count() && tried < kMostPeriods; ++step) {
    const GraphNode &node = graph.nodes[sequence.steps[step]];
    if (node.opClass != sample.opClass || node.ruleClass != sample.ruleClass)
      continue;
    ++tried;
    int period = step - middle;
    auto [begin, end] = PeriodMatcher(sequence, period).around(middle);
    if (int length = end - begin; length > covered) {
      covered = length;
      best = {begin, end + period, period};
    }
  }
  return best;
}

/// Where a step's value is used last, among steps.
std::vector<int> lastUses(const Sequence &sequence) {
  std::vector<int> last(sequence.steps.size(), -1);
  for (const GraphEdge &edge : sequence.graph.edges)
    if (int from = sequence.stepOf[edge.from]; from >= 0)
      last[from] = std::max(last[from], sequence.stepOf[edge.to]);
  return last;
}

/// The one step of the period before `cut` whose value is used behind it; -1 where there are others.
int onlyCrossing(const std::vector<int> &lastUse, int cut, int period) {
  int found = -1;
  for (int step = std::max(0, cut - period); step < cut; ++step)
    if (lastUse[step] >= cut) {
      if (found >= 0)
        return -1;
      found = step;
    }
  return found;
}

/// Between steps, a period apart: one value alone crosses each. What lies between two of them is a layer.
struct Joints {
  int firstCut = 0, firstExit = 0; ///< the step behind, and the one whose value crosses
  int period = 0, count = 0;

  int exit(int joint) const { return firstExit + joint * period; }
  /// How many joints are before a step.
  int before(int step) const { return step < firstCut ? 0 : std::min((step - firstCut) / period + 1, count); }

  /// As many as there are.
  static Joints find(const Sequence &sequence, Repetition found) {
    std::vector<int> lastUse = lastUses(sequence);
    Joints best;
    for (int shift = 0; shift < found.period; ++shift) {
      Joints run;
      for (int cut = found.begin + shift; cut <= found.end && cut < sequence.count(); cut += found.period) {
        int exit = onlyCrossing(lastUse, cut, found.period);
        if (exit < found.begin)
          run = {};
        else if (run.count > 0 && exit == run.exit(run.count))
          ++run.count;
        else
          run = {cut, exit, found.period, 1};
        if (run.count > best.count)
          best = run;
      }
    }
    return best;
  }
};

class SampleBuilder {
public:
  SampleBuilder(const Sequence &sequence, Joints joints) : sequence(sequence), graph(sequence.graph), joints(joints) {
    sample.graph.mesh = graph.mesh;
    sample.graph.partialKinds = graph.partialKinds;
    sample.graph.forecast = graph.forecast;
    sample.slots = sequence.slots;
    sample.count = joints.count - 1;
    placeNodes();
  }

  LayerSample build() {
    addPart(LayerSample::Front, 0);
    addPart(LayerSample::Middle, 1);
    addPart(LayerSample::Back, joints.count);
    int first = sequence.steps[joints.exit(0)], second = sequence.steps[joints.exit(1)],
        last = sequence.steps[joints.exit(joints.count - 1)];
    sample.frontExit = index[LayerSample::Front][first];
    sample.middleEntry = index[LayerSample::Middle][first];
    sample.middleExit = index[LayerSample::Middle][second];
    sample.backEntry = index[LayerSample::Back][last];
    return std::move(sample);
  }

private:
  /// Sources and outputs belong to the layer that all their users, or their makers, are in; those of several to the
  /// first.
  void placeNodes() {
    layer.assign(graph.nodes.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (int step = sequence.stepOf[i]; step >= 0)
        layer[i] = joints.before(step);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (layer[i] >= 0)
        continue;
      std::set<int> around;
      for (int e : sequence.out[i])
        around.insert(std::max(layer[graph.edges[e].to], 0));
      for (int e : sequence.into[i])
        around.insert(std::max(layer[graph.edges[e].from], 0));
      layer[i] = around.size() == 1 ? *around.begin() : 0;
    }
  }

  void addPart(LayerSample::Part part, int number) {
    std::vector<int> &where = index[part];
    where.assign(graph.nodes.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (layer[i] == number)
        where[i] = add(static_cast<int>(i), {part, false});
    for (const GraphEdge &edge : graph.edges) {
      if (layer[edge.to] != number)
        continue;
      if (where[edge.from] < 0)
        where[edge.from] = add(edge.from, {part, true});
      GraphEdge copy = edge;
      copy.from = where[edge.from];
      copy.to = where[edge.to];
      sample.graph.edges.push_back(std::move(copy));
    }
  }

  int add(int origin, LayerSample::Place place) {
    GraphNode node = graph.nodes[origin];
    node.strategies = {};
    for (size_t u = 0; u < node.uses.size(); ++u)
      node.uses[u].live = {0, sequence.liveSlots[origin][u]};
    if (place.isCopy)
      node.uses.clear();
    sample.graph.nodes.push_back(std::move(node));
    sample.places.push_back(place);
    return static_cast<int>(sample.graph.nodes.size()) - 1;
  }

  const Sequence &sequence;
  const ProgramGraph &graph;
  Joints joints;
  std::vector<int> layer;    ///< of each node: how many joints are before it
  std::vector<int> index[3]; ///< of each part: where each node is in the sample
  LayerSample sample;
};
} // namespace

std::optional<LayerSample> sampleLayers(const ProgramGraph &graph) {
  Sequence sequence(graph);
  Joints joints = Joints::find(sequence, findRepetition(sequence));
  if (joints.count - 1 < kFewestLayers)
    return std::nullopt;
  return SampleBuilder(sequence, joints).build();
}

} // namespace froe

#include "Describe.h"

#include "froe/Planning/RunnerUp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace froe {

namespace {

/// Seconds of an edge under a choice.
double secondsOf(const Problem &problem, size_t e, const std::vector<int> &choice) {
  const PlanEdge &edge = problem.edges[e];
  return edge.cost[choice[edge.from] * problem.nodes[edge.to].strategies() + choice[edge.to]];
}

int64_t bytesOf(const PlanNode &node, int strategy) {
  int64_t bytes = 0;
  for (const MemoryUse &use : node.uses)
    bytes += use.bytes[strategy];
  return bytes;
}

std::string stepText(const ReshardStep &step, const std::vector<std::string> &dims, const Mesh &mesh) {
  std::vector<std::string> axes;
  for (AxisIndex axis : step.axes)
    axes.push_back(mesh.axes[axis].name);
  auto dimText = [&](int dim) { return dim < static_cast<int>(dims.size()) ? dims[dim] : fmt::format("dim{}", dim); };
  std::string text = fmt::format("{}({}", name(step.kind), fmt::join(axes, ","));
  if (step.fromDim >= 0)
    return text + fmt::format(": {} -> {})", dimText(step.fromDim), dimText(step.dim));
  return text + (step.dim >= 0 ? fmt::format(": {})", dimText(step.dim)) : ")");
}

/// The step at which most bytes are live.
int64_t fullestStep(const Problem &problem, const std::vector<int> &choice) {
  std::map<int64_t, int64_t> changes;
  for (size_t i = 0; i < choice.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses) {
      changes[use.live.begin] += use.bytes[choice[i]];
      changes[use.live.end] -= use.bytes[choice[i]];
    }
  int64_t live = 0, most = -1, fullest = 0;
  for (auto [step, change] : changes)
    if ((live += change) > most)
      most = live, fullest = step;
  return fullest;
}

/// The ops whose next best strategy is worth knowing: those that take most time, one of each role.
std::vector<size_t> weightyNodes(const std::vector<Decision> &decisions) {
  constexpr size_t kMost = 40;
  constexpr double kLeastPart = 1e-3;
  auto seconds = [&](size_t i) {
    return decisions[i].computeSeconds + decisions[i].communicationSeconds + decisions[i].reshardSeconds;
  };
  double total = 0;
  std::vector<size_t> nodes;
  std::set<std::pair<int, std::string>> known;
  for (size_t i = 0; i < decisions.size(); ++i) {
    total += seconds(i);
    if (decisions[i].role < 0 || known.insert({decisions[i].role, decisions[i].text}).second)
      nodes.push_back(i);
  }
  llvm::erase_if(nodes, [&](size_t i) { return seconds(i) < kLeastPart * total; });
  llvm::stable_sort(nodes, [&](size_t a, size_t b) { return seconds(a) > seconds(b); });
  nodes.resize(std::min(nodes.size(), kMost));
  return nodes;
}

} // namespace

MemoryPeak memoryPeakOf(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice) {
  constexpr size_t kListed = 5;
  MemoryPeak peak;
  int64_t step = fullestStep(problem, choice);
  for (size_t i = 0; i < choice.size(); ++i) {
    const GraphNode &node = graph.nodes[i];
    if (node.kind == GraphNode::Kind::Op && node.position == step)
      peak.during = node.name;
    for (const MemoryUse &use : problem.nodes[i].uses)
      if (use.live.begin <= step && step < use.live.end && use.bytes[choice[i]] > 0) {
        if (node.opName() == "weight")
          peak.weightBytes += use.bytes[choice[i]];
        else
          peak.values.push_back({node.name, use.bytes[choice[i]]});
      }
  }
  llvm::stable_sort(peak.values, [](const auto &a, const auto &b) { return a.bytes > b.bytes; });
  for (; peak.values.size() > kListed; peak.values.pop_back())
    peak.otherBytes += peak.values.back().bytes;
  return peak;
}

/// A user may need a value in several forms, each on its own way.
std::string Describer::pathOf(const ProgramGraph &graph, const GraphEdge &edge, const std::vector<int> &choice,
                              CostModel &costs) const {
  const Sharding &from = graph.nodes[edge.from].produces(choice[edge.from], edge.result);
  std::vector<std::string> dims = names.dimsOf(graph, edge.from, edge.result), texts;
  std::vector<const Sharding *> done{&from};
  for (int operand : edge.operands) {
    const Sharding &to = graph.nodes[edge.to].needs(choice[edge.to], operand);
    if (llvm::any_of(done, [&](const Sharding *other) { return *other == to; }))
      continue;
    done.push_back(&to);
    if (const ReshardPath *path = costs.reshardPath(edge.value, from, to))
      for (const ReshardStep &step : path->steps)
        texts.push_back(stepText(step, dims, graph.mesh));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void Describer::addReshards(std::vector<Decision> &decisions, const ProgramGraph &graph, const Problem &problem,
                            const std::vector<int> &choice, CostModel &costs) const {
  std::vector<int> maker(graph.nodes.size()); // of what a node hands on: a tensor node's is the op before it
  for (size_t i = 0; i < maker.size(); ++i)
    maker[i] = static_cast<int>(i);
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge &edge = graph.edges[e];
    if (graph.nodes[edge.to].kind == GraphNode::Kind::Tensor)
      maker[edge.to] = edge.from;
    double seconds = secondsOf(problem, e, choice);
    if (seconds == 0)
      continue;
    bool combines = graph.nodes[edge.from].produces(choice[edge.from], edge.result).isPartial();
    Decision &decision = decisions[maker[edge.from]];
    (combines ? decision.communicationSeconds : decision.reshardSeconds) += seconds;
    decision.reshards.push_back({graph.nodes[edge.to].name, seconds, combines, pathOf(graph, edge, choice, costs)});
  }
}

void Describer::addRunnersUp(std::vector<Decision> &decisions, const ProgramGraph &graph, const Problem &problem,
                             const std::vector<int> &choice) const {
  RunnerUps search(problem, choice);
  int64_t peak = peakBytesOf(problem, choice);
  std::map<std::pair<int, std::string>, RunnerUp> found;
  for (size_t i : weightyNodes(decisions)) {
    std::optional<OtherChoice> other = search.find(static_cast<int>(i));
    if (!other || !std::isfinite(other->extraSeconds))
      continue;
    const GraphNode &node = graph.nodes[i];
    decisions[i].runnerUp = {strategyText(node.strategies[other->strategy], node.rule, names.of(i), graph.mesh),
                             other->extraSeconds, peakBytesOf(problem, other->choice) - peak};
    decisions[i].runnerUp->fits = peak + decisions[i].runnerUp->extraBytes <= problem.memoryLimit;
    if (decisions[i].role >= 0)
      found.insert({{decisions[i].role, decisions[i].text}, *decisions[i].runnerUp});
  }
  for (Decision &decision : decisions)
    if (auto same = found.find({decision.role, decision.text}); same != found.end())
      decision.runnerUp = same->second;
}

std::vector<Decision> Describer::decide(const ProgramGraph &graph, const Problem &problem,
                                        const std::vector<int> &choice, CostModel &costs) const {
  std::vector<Decision> decisions;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode &node = graph.nodes[i];
    const Strategy &strategy = node.strategies[choice[i]];
    Decision decision{node.name, node.opName(), strategyText(strategy, node.rule, names.of(i), graph.mesh)};
    decision.strategy = strategy;
    decision.computeSeconds = problem.nodes[i].cost[choice[i]];
    decision.bytes = bytesOf(problem.nodes[i], choice[i]);
    decision.dims = names.dimsOf(graph, i);
    decision.shape = shapeOf(node.value).vec();
    decision.layer = layers.places[i].layer;
    decision.role = layers.places[i].role;
    decisions.push_back(std::move(decision));
  }
  addReshards(decisions, graph, problem, choice, costs);
  addRunnersUp(decisions, graph, problem, choice);
  return decisions;
}

PlanResult Describer::describe(const ProgramGraph &graph, const Problem &problem, const Solution &solution,
                               CostModel &costs) const {
  PlanResult result;
  result.mesh = graph.mesh;
  result.cost = solution.cost;
  result.bound = solution.bound;
  result.memoryBytes = solution.peakBytes;
  result.memoryLimitBytes = problem.memoryLimit;
  result.memoryPeak = memoryPeakOf(graph, problem, solution.choice);
  for (const Layers::Run &run : layers.runs)
    result.layers.push_back({run.first, run.count});
  std::vector<Decision> decisions = decide(graph, problem, solution.choice, costs);
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].op == "weight")
      result.weightBytes += decisions[i].bytes;
    GraphNode::Kind kind = graph.nodes[i].kind;
    if (kind == GraphNode::Kind::Input)
      result.inputs.push_back(std::move(decisions[i]));
    else if (kind == GraphNode::Kind::Op)
      result.ops.push_back(std::move(decisions[i]));
    else if (kind == GraphNode::Kind::Output)
      result.outputs.push_back(std::move(decisions[i]));
  }
  return result;
}

} // namespace froe

#include "StagePlanner.h"

#include "Describe.h"

#include "froe/Cost/Collectives.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Stages are few, and the slowest one counts for all.
constexpr double kStageTolerance = 0.005;

void checkAnswer(const Problem &problem, const Solution &solution) {
  if (auto why = verify(problem, solution))
    llvm::report_fatal_error(llvm::Twine("the solver's answer is wrong: ") + *why);
}

} // namespace

double pipelineFactor(const Division &division, Objective objective) {
  double stages = double(division.stages), microbatches = double(division.microbatches);
  return objective == Objective::Latency ? 1 + (microbatches - 1) / stages : microbatches / stages;
}

int64_t together(int64_t limit, int64_t stages) {
  return limit > Problem::kUnlimited / stages ? Problem::kUnlimited : limit * stages;
}

std::vector<int64_t> bytesAtCuts(const ProgramGraph &graph) {
  std::vector<int64_t> bytes;
  for (const CutPoint &cut : cutPointsOf(graph))
    bytes.push_back(cut.bytes);
  std::ranges::sort(bytes);
  return bytes;
}

double leastSendSeconds(const Division &division, const std::vector<int64_t> &cutBytes, const Cluster &cluster) {
  int64_t parts = division.mesh.deviceCount();
  size_t sends = std::min(cutBytes.size(), size_t(division.stages) - 1);
  double seconds = 0;
  for (size_t i = 0; i < sends; ++i)
    seconds += sendSeconds(cluster, cutBytes[i] / parts, 0, parts);
  return seconds;
}

StagePlanner::StagePlanner(const ProgramGraph &graph, Division division, const Cluster &cluster,
                           const PlanOptions &options, int64_t memoryLimit)
    : graph(graph), division(std::move(division)), cluster(cluster), options(options), memoryLimit(memoryLimit),
      costs(graph.forecast, this->division.mesh, cluster, options.roundsFactors()), builder(costs) {}

const Problem &StagePlanner::problem() {
  if (!whole)
    whole = builder.build(graph, together(memoryLimit, division.stages));
  return *whole;
}

double StagePlanner::leastSeconds() {
  if (!least)
    least = builder.leastSeconds(graph);
  return *least;
}

std::expected<Solution, NoStagedPlan> StagePlanner::relax(const StageGoal &goal) {
  double factor = pipelineFactor(division, options.objective), sends = 0, bound = leastSeconds() * factor;
  if (bound < goal.incumbent) {
    if (division.stages > 1)
      sends = leastSendSeconds(division, bytesAtCuts(graph), cluster);
    bound += sends * factor;
  }
  if (bound >= goal.incumbent)
    return std::unexpected(NoStagedPlan{.bound = bound});
  SolveOptions solveOptions = options.solve;
  solveOptions.incumbent = goal.incumbent / factor - sends;
  solveOptions.tolerance = goal.tolerance;
  solveOptions.price = goal.price / factor / double(division.stages);
  solveOptions.cache = &cache;
  std::expected<Solution, NoPlan> solution = solve(problem(), solveOptions);
  if (!solution) {
    NoPlan &none = solution.error();
    bound = none.reason == NoPlan::Reason::NotBetter ? std::max(bound, goal.incumbent)
            : none.proven                            ? kInfinity
                                                     : bound;
    return std::unexpected(NoStagedPlan{bound, none.reason, none.smallestPeakBytes / division.stages, none.smallest,
                                        none.price * factor * double(division.stages)});
  }
  checkAnswer(*whole, *solution);
  solution->bound = std::max((solution->bound + sends) * factor, bound);
  solution->cost = (solution->cost + sends) * factor;
  return *solution;
}

std::expected<StagedPlan, NoStagedPlan> StagePlanner::plan(const StageGoal &goal) {
  std::expected<Solution, NoStagedPlan> solution = relax(goal);
  if (!solution)
    return std::unexpected(solution.error());
  if (division.stages > 1)
    return planStages(*solution, goal);
  StagedPlan plan{division, *solution, {describeStage(graph, *whole, solution->choice)}, {}, 0};
  finish(plan);
  return plan;
}

std::expected<StagedPlan, NoStagedPlan> StagePlanner::planStages(const Solution &relaxed, const StageGoal &goal) {
  bool forced = !options.stageNodes.empty();
  StageCuts cuts(graph, *whole, relaxed.choice, forced ? std::nullopt : std::optional<size_t>(division.stages));
  auto conflict = [&](std::string why) {
    return std::unexpected(NoStagedPlan{.bound = kInfinity, .reason = NoPlan::Reason::Conflict, .why = std::move(why)});
  };
  if (forced) {
    std::expected<std::vector<int>, std::string> firstUnits = cuts.unitsFor(options.stageNodes);
    return firstUnits ? solveStages(relaxed, cuts, *firstUnits, goal) : conflict(firstUnits.error());
  }
  if (cuts.units().size() < size_t(division.stages))
    return conflict(fmt::format("the program can be cut into {} stages at most, not into {}", cuts.units().size(),
                                division.stages));
  NoStagedPlan none{.bound = relaxed.bound, .reason = NoPlan::Reason::Memory, .smallest = {}};
  // Where memory is short, the answer for all memory together is fast in some layers and small in others. Stages of
  // equally many layers each make their own mixture of both; where that does not fit, stages are cut as it is.
  for (bool even : {true, false}) {
    std::vector<StageUnit> units = even ? cuts.evenUnits() : cuts.units();
    for (int unit = 1; unit < static_cast<int>(units.size()); ++unit)
      units[unit - 1].sendSeconds =
          sendSeconds(cluster, bytesSent(cuts, relaxed.choice, unit), 0, division.mesh.deviceCount());
    auto firstUnits = splitIntoStages(units, static_cast<int>(division.stages), division.microbatches,
                                      even ? Problem::kUnlimited : memoryLimit);
    if (!firstUnits)
      continue;
    auto plan = solveStages(relaxed, cuts, *firstUnits, goal);
    if (plan || plan.error().reason == NoPlan::Reason::NotBetter)
      return plan;
    none.smallestPeakBytes = plan.error().smallestPeakBytes;
  }
  return std::unexpected(none);
}

std::expected<StagedPlan, NoStagedPlan> StagePlanner::solveStages(const Solution &relaxed, const StageCuts &cuts,
                                                                  const std::vector<int> &firstUnits,
                                                                  const StageGoal &goal) {
  StagedPlan plan{division, relaxed, {}, {}, 0};
  plan.solution.peakBytes = 0;
  SolveOptions solveOptions = options.solve;
  solveOptions.tolerance = std::min(goal.tolerance, kStageTolerance);
  solveOptions.price = relaxed.price;
  solveOptions.cache = &cache;
  for (size_t s = 0; s < firstUnits.size(); ++s) {
    int unit = firstUnits[s];
    int nextUnit = s + 1 < firstUnits.size() ? firstUnits[s + 1] : static_cast<int>(cuts.units().size());
    int first = cuts.firstPosition(unit), end = cuts.firstPosition(nextUnit);
    Segment part = segmentOf(graph, first, end, [&](int node, int result) -> const Sharding & {
      return wireForm(cuts, relaxed.choice, node, result);
    });
    Problem problem = builder.build(part.graph, memoryLimit);
    std::expected<Solution, NoPlan> solution = solve(problem, solveOptions);
    if (!solution)
      return std::unexpected(NoStagedPlan{relaxed.bound, solution.error().reason, solution.error().smallestPeakBytes,
                                          solution.error().smallest});
    checkAnswer(problem, *solution);
    for (size_t i = 0; i < part.origins.size(); ++i)
      if (!part.crosses[i])
        plan.solution.choice[part.origins[i]] = solution->choice[i];
    PlanStage stage = describeStage(part.graph, problem, solution->choice);
    stage.firstDevice = int64_t(s) * division.mesh.deviceCount();
    if (s + 1 < firstUnits.size())
      stage.sendSeconds = sendSeconds(cluster, bytesSent(cuts, relaxed.choice, nextUnit), stage.firstDevice,
                                      stage.firstDevice + division.mesh.deviceCount());
    if (plan.stages.empty() || stage.memoryBytes > plan.solution.peakBytes) {
      plan.solution.peakBytes = stage.memoryBytes;
      plan.memoryPeak = memoryPeakOf(part.graph, problem, solution->choice);
    }
    plan.stages.push_back(std::move(stage));
    if (secondsOf(plan.stages) >= goal.known)
      return std::unexpected(NoStagedPlan{.bound = relaxed.bound});
  }
  finish(plan);
  return plan;
}

/// A value that several ops use may be cut before it is sent and put together behind the cut: links between nodes are
/// slower than those inside.
const Sharding &StagePlanner::wireForm(const StageCuts &cuts, const std::vector<int> &choice, int node, int result) {
  const GraphNode &tensor = graph.nodes[node];
  if (tensor.kind != GraphNode::Kind::Tensor)
    return cuts.wireForm(node, result);
  auto [form, isNew] = wireForms.try_emplace(
      {tensor.value.getType().getAsOpaquePointer(), tensor.strategies.identity(), choice[node]}, choice[node]);
  if (!isNew)
    return tensor.produces(form->second);
  std::vector<const Sharding *> here = {&tensor.produces(choice[node])}, sent;
  for (size_t s = 0; s < tensor.strategies.size(); ++s)
    sent.push_back(&tensor.produces(static_cast<int>(s)));
  std::vector<double> before = costs.reshardSeconds(tensor.value, here, sent),
                      behind = costs.reshardSeconds(tensor.value, sent, here);
  double least = kInfinity;
  for (size_t s = 0; s < sent.size(); ++s) {
    if (sent[s]->isPartial())
      continue;
    double seconds = before[s] + behind[s] +
                     sendSeconds(cluster, costs.localBytesOf(tensor.value, *sent[s]), 0, division.mesh.deviceCount());
    if (seconds < least) {
      least = seconds;
      form->second = static_cast<int>(s);
    }
  }
  return tensor.produces(form->second);
}

/// By one rank over the cut before `unit`.
int64_t StagePlanner::bytesSent(const StageCuts &cuts, const std::vector<int> &choice, int unit) {
  int64_t bytes = 0;
  for (const CutPoint::Crossing &value : cuts.cutBefore(unit).values)
    bytes += costs.localBytesOf(value.value, wireForm(cuts, choice, value.node, value.result));
  return bytes;
}

PlanStage StagePlanner::describeStage(const ProgramGraph &part, const Problem &problem,
                                      const std::vector<int> &choice) const {
  PlanStage stage{
      .mesh = division.mesh, .seconds = costOf(problem, choice), .memoryBytes = peakBytesOf(problem, choice)};
  std::vector<bool> independent = independentOfInputs(part);
  std::optional<size_t> first;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const GraphNode &node = part.nodes[i];
    if (node.opName() == "weight")
      for (const MemoryUse &use : problem.nodes[i].uses)
        stage.weightBytes += use.bytes[choice[i]];
    if (node.kind != GraphNode::Kind::Op || independent[i])
      continue;
    first = std::min(first.value_or(size_t(node.position)), size_t(node.position));
    stage.lastOp = std::max(stage.lastOp, size_t(node.position));
  }
  stage.firstOp = first.value_or(0);
  return stage;
}

/// Of the whole batch, if there were no other stages.
double StagePlanner::secondsOf(const std::vector<PlanStage> &stages) const {
  std::vector<double> seconds;
  for (const PlanStage &stage : stages)
    seconds.push_back(stage.seconds + stage.sendSeconds);
  return options.objective == Objective::Latency ? pipelineSeconds(seconds, division.microbatches)
                                                 : double(division.microbatches) * *std::ranges::max_element(seconds);
}

/// Seconds of the whole batch, and how many a second.
void StagePlanner::finish(StagedPlan &plan) const {
  double slowest = 0;
  for (const PlanStage &stage : plan.stages) {
    slowest = std::max(slowest, double(division.microbatches) * (stage.seconds + stage.sendSeconds));
    plan.solution.peakBytes = std::max(plan.solution.peakBytes, stage.memoryBytes);
  }
  plan.throughputPerSecond = slowest > 0 ? 1 / slowest : 0;
  plan.solution.cost = secondsOf(plan.stages);
  plan.solution.bound = std::min(plan.solution.bound, plan.solution.cost);
}

} // namespace froe

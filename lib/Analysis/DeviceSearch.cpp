#include "DeviceSearch.h"

#include "froe/Planning/Meshes.h"
#include "froe/Planning/SearchCandidates.h"

#include "dialects/Froe/Froe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Shorter stages than this many make a pipeline that mostly waits.
constexpr int64_t kMostStages = 64, kMostPerStage = 8;
/// So many are solved as finely as one alone.
constexpr size_t kFewCandidates = 20;

} // namespace

DeviceSearch::DeviceSearch(mlir::ModuleOp module, const Cluster &cluster, const PlanOptions &options, Restrict restrict)
    : module(module), cluster(cluster), options(options), restrict(std::move(restrict)), batch(batchSize(module)) {
  if (!microbatchOf(module, 1))
    batch = 1;
}

mlir::func::FuncOp DeviceSearch::microbatch(int64_t count) {
  std::lock_guard lock(mutex);
  mlir::OwningOpRef<mlir::ModuleOp> &part = microbatches[count];
  if (count > 1 && !part)
    part = std::move(*microbatchOf(module, count));
  return *mainOf(count > 1 ? *part : module);
}

/// Graphs are large: they go from mesh to mesh.
std::expected<std::unique_ptr<ProgramGraph>, std::string> DeviceSearch::graphOf(const Division &division) {
  std::unique_ptr<ProgramGraph> graph = idle.take(division.microbatches);
  if (!graph) {
    std::expected<ProgramGraph, std::string> built =
        buildGraph(microbatch(division.microbatches), division.mesh, cluster.device);
    if (!built)
      return std::unexpected(built.error());
    graph = std::make_unique<ProgramGraph>(std::move(*built));
  } else {
    putOnMesh(*graph, division.mesh);
  }
  if (auto why = restrict(*graph)) {
    idle.give(division.microbatches, std::move(graph));
    return std::unexpected(*why);
  }
  return graph;
}

/// Of unrestricted graphs.
const DeviceSearch::Outline &DeviceSearch::outlineOf(const Division &division) {
  std::lock_guard lock(outlining);
  auto [outline, isNew] = outlines.try_emplace(division.microbatches);
  if (isNew)
    if (auto graph = graphOf(division)) {
      outline->second = {sampleLayers(**graph), bytesAtCuts(**graph)};
      idle.give(division.microbatches, std::move(*graph));
    }
  return outline->second;
}

int64_t DeviceSearch::memoryLimitOf(int64_t devices) const {
  return options.memoryBytes > 0 ? options.memoryBytes : cluster.withDevices(devices).memoryLimitBytes();
}

double DeviceSearch::arithmeticSeconds(const Division &division) {
  mlir::func::FuncOp main = microbatch(division.microbatches);
  std::lock_guard lock(mutex);
  auto known = arithmetic.find(division.microbatches);
  if (known == arithmetic.end())
    known = arithmetic.try_emplace(division.microbatches, main, cluster, options.roundsFactors()).first;
  return known->second.seconds(division.mesh.deviceCount()) * pipelineFactor(division, options.objective);
}

std::vector<int64_t> DeviceSearch::stageCounts(int64_t devices, const SearchSpace &where) const {
  if (where.stages > 0)
    return {where.stages};
  std::vector<int64_t> counts;
  int64_t most = std::min(devices, kMostStages);
  for (int64_t stages = 1; stages <= most; ++stages)
    if (devices % stages == 0)
      counts.push_back(stages);
  return counts;
}

/// One stage takes the batch whole: parts of it would only wait for each other. Others wait for an eighth of the time
/// at most when there are eight microbatches for each, and more of them are smaller; from there in steps of four.
std::vector<int64_t> DeviceSearch::microbatchCounts(int64_t stages, const SearchSpace &where) const {
  if (where.microbatches > 0)
    return {where.microbatches};
  std::vector<int64_t> counts;
  for (int64_t count = stages == 1 ? 1 : std::min(batch, kMostPerStage * stages); count > 1; count /= 4)
    counts.push_back(count);
  counts.push_back(1);
  return counts;
}

std::vector<Mesh> DeviceSearch::meshesOf(int64_t devices, const SearchSpace &where) const {
  return where.mesh ? std::vector{*where.mesh} : meshesFor(cluster, devices, where.maxAxes);
}

std::vector<DeviceSearch::Candidate> DeviceSearch::candidatesFor(int64_t devices, const SearchSpace &where) {
  std::vector<Candidate> candidates;
  for (int64_t stages : stageCounts(devices, where)) {
    std::vector<Mesh> meshes = meshesOf(devices / stages, where);
    for (int64_t count : microbatchCounts(stages, where))
      for (const Mesh &mesh : meshes) {
        Division division{stages, count, mesh};
        candidates.push_back({division, arithmeticSeconds(division)});
      }
  }
  return candidates;
}

std::vector<DeviceSearch::Candidate> DeviceSearch::likelyFirst(std::vector<Candidate> candidates,
                                                               const DivisionOrder &order) const {
  auto key = [&](const Candidate &candidate) {
    const Mesh &mesh = candidate.division.mesh;
    return std::tuple(order.expectedSeconds(candidate.division), candidate.bound, order.distanceFromNode(mesh),
                      -mesh.axes.front().size);
  };
  llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  return candidates;
}

/// Weighs candidates one batch after the other; the best of all passes and the bound for all are kept.
class DeviceSearch::Pass {
public:
  Pass(DeviceSearch &search, int64_t devices, const SearchSpace &where, double tolerance)
      : search(search), where(where), memoryLimit(search.memoryLimitOf(devices)), tolerance(tolerance) {}

  void run(const std::vector<Candidate> &candidates, DivisionOrder &order) {
    std::vector<double> bounds;
    for (const Candidate &candidate : candidates)
      bounds.push_back(candidate.bound);
    std::vector<std::optional<StagedPlan>> plans(candidates.size());
    std::vector<std::optional<NoStagedPlan>> failures(candidates.size());
    auto weigh = [&](int index, double worthwhile, int bestSoFar) -> Weighed {
      const StagedPlan *known = bestSoFar >= 0 ? &*plans[bestSoFar] : best.plan ? &*best.plan : nullptr;
      auto plan = this->weigh(candidates[index].division, worthwhile, known);
      if (!plan) {
        failures[index] = plan.error();
        return {kInfinity, plan.error().bound};
      }
      plans[index] = std::move(*plan);
      return {plans[index]->solution.cost, plans[index]->solution.bound};
    };
    BestCandidate found = searchCandidates(bounds, weigh,
                                           {.tolerance = tolerance,
                                            .incumbent = best.plan ? best.plan->solution.cost : kInfinity,
                                            .threads = where.threads,
                                            .batch = where.batch,
                                            .firstBatch = std::min(where.batch, kFirstBatch),
                                            .cancelled = search.options.solve.cancelled});
    best.bound = std::min(best.bound, found.bound);
    best.searched += found.weighed;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const Division &division = candidates[i].division;
      if (plans[i])
        learn(division, plans[i]->solution.cost, wholePrice(division, plans[i]->solution.price), order);
      if (failures[i]) {
        learn(division, kInfinity, failures[i]->price, order);
        remember(division, std::move(*failures[i]));
      }
    }
    if (found.index >= 0)
      best.plan = std::move(plans[found.index]);
  }

  /// Tells `order` about what these cost, without their stages.
  void estimate(const std::vector<Candidate> &candidates, DivisionOrder &order) {
    std::vector<double> seconds(candidates.size(), kInfinity), found(candidates.size(), 0);
    onThreads(candidates.size(), where.threads, [&](size_t i) {
      const Division &division = candidates[i].division;
      double incumbent = best.plan ? best.plan->solution.cost : kInfinity;
      if (candidates[i].bound >= incumbent || !worthTrying(division, incumbent))
        return;
      auto graph = search.graphOf(division);
      if (!graph)
        return;
      StagePlanner planner(**graph, division, search.cluster, search.options, memoryLimit);
      auto relaxed =
          planner.relax({incumbent, kInfinity, kRoughly, priceFor(division, best.plan ? &*best.plan : nullptr)});
      if (relaxed)
        seconds[i] = relaxed->cost;
      found[i] = relaxed ? wholePrice(division, relaxed->price) : relaxed.error().price;
      search.idle.give(division.microbatches, std::move(*graph));
    });
    for (size_t i = 0; i < candidates.size(); ++i)
      learn(candidates[i].division, seconds[i], found[i], order);
  }

  BestDivision best;

private:
  bool worthTrying(const Division &division, double worthwhile) {
    std::optional<double> least = search.least.find(division);
    return !least || *least * pipelineFactor(division, search.options.objective) < worthwhile;
  }

  std::expected<StagedPlan, NoStagedPlan> weigh(const Division &division, double worthwhile, const StagedPlan *known) {
    double price = priceFor(division, known);
    if (std::optional<NoStagedPlan> none = ruleOut(division, worthwhile, price))
      return std::unexpected(*none);
    std::expected<std::unique_ptr<ProgramGraph>, std::string> graph = search.graphOf(division);
    if (!graph)
      return std::unexpected(
          NoStagedPlan{.bound = kInfinity, .reason = NoPlan::Reason::Conflict, .why = graph.error()});
    std::expected<StagedPlan, NoStagedPlan> plan;
    {
      StagePlanner planner(**graph, division, search.cluster, search.options, memoryLimit);
      if (search.isFree() && !search.outlineOf(division).layers)
        search.least.add(division, planner.leastSeconds());
      plan = planner.plan({worthwhile, known ? known->solution.cost : kInfinity, tolerance, price});
    }
    search.idle.give(division.microbatches, std::move(*graph));
    return plan;
  }

  /// Shows by bounds that need no graph of the whole program that a division is not worthwhile, if they do. What is
  /// answered does not depend on what other threads have found out already.
  std::optional<NoStagedPlan> ruleOut(const Division &division, double worthwhile, double price) {
    double factor = pipelineFactor(division, search.options.objective);
    std::optional<double> least = search.least.find(division);
    if (least && *least * factor >= worthwhile)
      return NoStagedPlan{.bound = *least * factor};
    if (!search.isFree() || !std::isfinite(worthwhile))
      return std::nullopt;
    const Outline &outline = search.outlineOf(division);
    if (!outline.layers)
      return std::nullopt;
    LayerBound layers(*outline.layers, division.mesh, search.cluster, search.options.roundsFactors());
    if (!least) {
      least = layers.leastSeconds();
      search.least.add(division, *least);
      if (*least * factor >= worthwhile)
        return NoStagedPlan{.bound = *least * factor};
    }
    double sends = leastSendSeconds(division, outline.cutBytes, search.cluster);
    int64_t limit = together(memoryLimit, division.stages);
    for (double tried : {price, 0.0}) { // what other divisions had; where that is not enough none
      double bound = factor * (layers.seconds(tried / factor / double(division.stages), limit) + sends);
      if (bound >= worthwhile)
        return NoStagedPlan{.bound = bound, .price = price};
      if (price == 0)
        break;
    }
    return std::nullopt;
  }

  void learn(const Division &division, double seconds, double price, DivisionOrder &order) {
    order.add(division, seconds);
    if (price > 0)
      prices[division.stages] = price;
  }

  /// Seconds of the whole batch that a byte more on each rank saves, of a microbatch's price for all stages together.
  double wholePrice(const Division &division, double price) const {
    return price * double(division.stages) * pipelineFactor(division, search.options.objective);
  }

  /// What others found: the best plan where it has as many stages, else what was estimated for as many.
  double priceFor(const Division &division, const StagedPlan *known) const {
    auto it = prices.find(division.stages);
    bool alike = known && known->division.stages == division.stages && known->solution.price > 0;
    if (it != prices.end() && !alike)
      return it->second;
    return known ? wholePrice(known->division, known->solution.price) : 0;
  }

  void remember(const Division &division, NoStagedPlan none) {
    if (none.reason == NoPlan::Reason::Conflict && best.conflict.empty())
      best.conflict = none.why;
    if (none.reason == NoPlan::Reason::Memory && none.smallestPeakBytes < best.smallestPeakBytes) {
      best.smallestPeakBytes = none.smallestPeakBytes;
      best.smallest = std::move(none.smallest);
      best.smallestDivision = division;
    }
  }

  static constexpr size_t kFirstBatch = 2;
  static constexpr double kRoughly = 0.05;
  DeviceSearch &search;
  const SearchSpace &where;
  int64_t memoryLimit;
  double tolerance;
  std::map<int64_t, double> prices; ///< by the number of stages
};

/// A plan on few axes is one on more axes of which some go together, so that meshes of most axes stand for all. The
/// others are quickly solved: on one stage they make a first plan, on more they tell which are likely.
BestDivision DeviceSearch::search(int64_t devices, const SearchSpace &where) {
  std::vector<Candidate> all = candidatesFor(devices, where), coarse, samples, fine;
  DivisionOrder order(cluster);
  int64_t fewest = stageCounts(devices, where).front();
  for (const Candidate &candidate : all) {
    const auto &[stages, microbatches, mesh] = candidate.division;
    int most = where.mesh ? mesh.axisCount() : meshesFor(cluster, mesh.deviceCount(), where.maxAxes).back().axisCount();
    if (mesh.axisCount() == most)
      fine.push_back(candidate);
    else if (stages == fewest)
      coarse.push_back(candidate);
    else if (mesh == order.likelyMesh(mesh.deviceCount()))
      samples.push_back(candidate);
  }
  double tolerance = all.size() <= kFewCandidates ? where.fineTolerance : where.tolerance;
  Pass pass(*this, devices, where, tolerance);
  pass.run(likelyFirst(coarse, order), order);
  pass.estimate(samples, order);
  pass.run(likelyFirst(fine, order), order);
  idle.clear();
  if (pass.best.plan)
    pass.best.plan->solution.bound = pass.best.bound = std::min(pass.best.bound, pass.best.plan->solution.cost);
  return std::move(pass.best);
}

} // namespace froe

#include "DeviceSearch.h"

#include "froe/Planning/Meshes.h"
#include "froe/Planning/SearchCandidates.h"

#include "dialects/Froe/Froe.h"

#include <algorithm>
#include <limits>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Shorter stages than this many make a pipeline that mostly waits.
constexpr int64_t kMostStages = 64, kMostPerStage = 8;
constexpr int kThreads = 2;
/// So many are solved as finely as one alone.
constexpr size_t kFewCandidates = 20;

} // namespace

DeviceSearch::DeviceSearch(mlir::ModuleOp module, const Cluster &cluster, const PlanOptions &options, Restrict restrict)
    : module(module), cluster(cluster), options(options), restrict(std::move(restrict)), batch(batchSize(module)) {
  if (!microbatchOf(module, 1))
    batch = 1;
}

mlir::func::FuncOp DeviceSearch::microbatch(int64_t count) {
  mlir::OwningOpRef<mlir::ModuleOp> &part = microbatches[count];
  if (count > 1 && !part)
    part = std::move(*microbatchOf(module, count));
  return *mainOf(count > 1 ? *part : module);
}

/// Graphs are large: they go from mesh to mesh.
std::expected<std::unique_ptr<ProgramGraph>, std::string> DeviceSearch::graphOf(const Division &division) {
  std::unique_ptr<ProgramGraph> graph = idle.take(division.microbatches);
  if (!graph) {
    std::expected<ProgramGraph, std::string> built = buildGraph(microbatch(division.microbatches), division.mesh);
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

int64_t DeviceSearch::memoryLimitOf(int64_t devices) const {
  return options.memoryBytes > 0 ? options.memoryBytes : cluster.withDevices(devices).memoryLimitBytes();
}

double DeviceSearch::arithmeticSeconds(const Division &division) {
  auto known = arithmetic.find(division.microbatches);
  if (known == arithmetic.end())
    known = arithmetic.try_emplace(division.microbatches, microbatch(division.microbatches), cluster, options.floatType)
                .first;
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

/// Meshes of one stage. A plan on few axes is one on more axes of which some go together, so that those of most axes
/// stand for all; the others, quickly solved, are worth it where they spare most of the rest.
std::vector<Mesh> DeviceSearch::meshesOf(int64_t devices, const SearchSpace &where, bool coarseToo) const {
  if (where.mesh)
    return {*where.mesh};
  std::vector<Mesh> meshes = meshesFor(cluster, devices, where.maxAxes);
  int most = meshes.back().axisCount();
  if (!coarseToo)
    llvm::erase_if(meshes, [&](const Mesh &mesh) { return mesh.axisCount() < most; });
  return meshes;
}

/// Meshes of few axes first, then by the bound.
std::vector<DeviceSearch::Candidate> DeviceSearch::candidatesFor(int64_t devices, const SearchSpace &where) {
  std::vector<Candidate> candidates;
  std::vector<int64_t> stageCounts = this->stageCounts(devices, where);
  for (int64_t stages : stageCounts) {
    std::vector<Mesh> meshes = meshesOf(devices / stages, where, stages == stageCounts.front());
    for (int64_t count : microbatchCounts(stages, where))
      for (const Mesh &mesh : meshes) {
        Division division{stages, count, mesh};
        candidates.push_back({division, arithmeticSeconds(division)});
      }
  }
  auto order = [](const Candidate &candidate) {
    return std::pair(candidate.division.mesh.axisCount() > 2, candidate.bound);
  };
  llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) { return order(a) < order(b); });
  return candidates;
}

BestDivision DeviceSearch::search(int64_t devices, const SearchSpace &where) {
  std::vector<Candidate> candidates = candidatesFor(devices, where);
  std::vector<double> bounds;
  for (const Candidate &candidate : candidates)
    bounds.push_back(candidate.bound);
  std::vector<std::optional<StagedPlan>> plans(candidates.size());
  BestDivision best;
  best.smallestPeakBytes = std::numeric_limits<int64_t>::max();
  int64_t memoryLimit = memoryLimitOf(devices);
  double tolerance = candidates.size() <= kFewCandidates ? where.fineTolerance : where.tolerance;
  std::vector<std::optional<NoStagedPlan>> failures(candidates.size());
  // Seconds of the whole batch that a byte more on each rank would save.
  auto priceOf = [&](int index) {
    if (index < 0)
      return 0.0;
    const Division &division = plans[index]->division;
    return plans[index]->solution.price * double(division.stages) * pipelineFactor(division, options.objective);
  };
  auto weigh = [&](int index, double incumbent, int bestSoFar) -> Weighed {
    const Division &division = candidates[index].division;
    std::expected<std::unique_ptr<ProgramGraph>, std::string> graph = graphOf(division);
    if (!graph) {
      failures[index] = NoStagedPlan{.bound = kInfinity, .reason = NoPlan::Reason::Conflict, .why = graph.error()};
      return {kInfinity, kInfinity};
    }
    std::expected<StagedPlan, NoStagedPlan> plan =
        StagePlanner(**graph, division, cluster, options, memoryLimit).plan(incumbent, tolerance, priceOf(bestSoFar));
    idle.give(division.microbatches, std::move(*graph));
    if (!plan) {
      failures[index] = plan.error();
      return {kInfinity, plan.error().bound};
    }
    plans[index] = std::move(*plan);
    return {plans[index]->solution.cost, plans[index]->solution.bound};
  };
  BestCandidate found = searchCandidates(
      bounds, weigh,
      {.tolerance = tolerance, .threads = kThreads, .batch = where.batch, .cancelled = options.solve.cancelled});
  idle.clear();
  best.bound = found.bound;
  best.searched = found.weighed;
  if (found.index >= 0) {
    best.plan = std::move(plans[found.index]);
    best.plan->solution.bound = found.bound;
    return best;
  }
  for (size_t i = 0; i < failures.size(); ++i) {
    if (!failures[i])
      continue;
    if (failures[i]->reason == NoPlan::Reason::Conflict && best.conflict.empty())
      best.conflict = failures[i]->why;
    if (failures[i]->reason == NoPlan::Reason::Memory && failures[i]->smallestPeakBytes < best.smallestPeakBytes) {
      best.smallestPeakBytes = failures[i]->smallestPeakBytes;
      best.smallest = failures[i]->smallest;
      best.smallestDivision = candidates[i].division;
    }
  }
  return best;
}

} // namespace froe

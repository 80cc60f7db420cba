#include "froe/Analysis/Plan.h"

#include "Describe.h"
#include "DeviceSearch.h"
#include "ForecastArena.h"
#include "MadeFor.h"
#include "NoPlanText.h"
#include "Restrictions.h"

#include "froe/Planning/SearchCandidates.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <limits>

namespace froe {

namespace {
/// Divisions that may differ by less are as good as each other: costs are no more exact.
constexpr double kTolerance = 0.028;
/// Few are told apart more finely, and the one that is taken is looked at again.
constexpr double kFineTolerance = 0.002;
/// The same for the table of device counts, which need not be as exact.
constexpr double kCoarseTolerance = 0.1;
constexpr int kThreads = 2;

/// One stage on few meshes: what other numbers of devices are judged by.
SearchSpace coarseSpace() {
  return {.mesh = {},
          .maxAxes = 2,
          .microbatches = 1,
          .tolerance = kCoarseTolerance,
          .fineTolerance = kCoarseTolerance,
          .batch = 1,
          .threads = 1};
}

DeviceCount rowOf(int64_t devices, const BestDivision &best) {
  if (best.plan)
    return {devices,
            best.plan->division.mesh,
            best.plan->division.stages,
            best.plan->division.microbatches,
            best.plan->solution.cost,
            best.plan->solution.peakBytes};
  return {.devices = devices,
          .mesh = best.smallestDivision.mesh,
          .cost = std::numeric_limits<double>::infinity(),
          .memoryBytes = best.smallestPeakBytes};
}

class DevicePlanner {
public:
  DevicePlanner(mlir::ModuleOp module, const ProgramGraph &graph, mlir::func::FuncOp main, const Cluster &cluster,
                const PlanOptions &options)
      : cluster(cluster), options(options), names(graph, main),
        search(module, cluster, options,
               [this](ProgramGraph &graph) { return restrictByOptions(graph, names, this->options); }) {}

  std::expected<PlanResult, std::string> run(int64_t devices, const std::optional<Mesh> &mesh) {
    BestDivision best = search.search(devices, {.mesh = mesh,
                                                .stages = options.stages,
                                                .microbatches = options.microbatches,
                                                .tolerance = std::max(kTolerance, options.solve.tolerance),
                                                .fineTolerance = std::max(kFineTolerance, options.solve.tolerance)});
    if (!best.plan)
      return std::unexpected(whyNone(best, devices));
    refine(*best.plan);
    if (best.plan->division.stages == 1)
      if (std::optional<int64_t> smallest = makeFit(*best.plan))
        return std::unexpected(tooLargeText(/*proven=*/false, search.memoryLimitOf(devices), devices, *smallest, "") +
                               moreDevices(devices));
    std::future<std::vector<Alternative>> alternatives;
    if (options.alternatives && best.plan->division.stages == 1)
      alternatives = std::async(std::launch::async, [&] { return priceNamedPlans(best.plan->division); });
    PlanResult result = describe(*best.plan);
    if (alternatives.valid())
      result.alternatives = alternatives.get();
    result.searched = best.searched;
    if (options.fewerDevices)
      addDeviceCounts(result, devices);
    return result;
  }

  /// What would be needed where nothing fits, for an error: powers of two up to the first that does, and one more.
  std::string moreDevices(int64_t devices) {
    std::vector<DeviceCount> counts;
    for (int64_t count = 2 * devices; count <= (1 << 16); count *= 2) {
      BestDivision best = search.search(count, coarseSpace());
      if (!best.plan && best.smallestPeakBytes == std::numeric_limits<int64_t>::max())
        break; // constraints for another mesh
      bool last = !counts.empty() && std::isfinite(counts.back().cost);
      counts.push_back(rowOf(count, best));
      if (last)
        break;
    }
    return moreDevicesText(counts, search.memoryLimitOf(devices));
  }

private:
  /// Looks once more, and more closely, for a better plan of the same division.
  void refine(StagedPlan &plan) {
    std::unique_ptr<ProgramGraph> graph = std::move(*search.graphOf(plan.division));
    StagePlanner planner(*graph, plan.division, cluster, options, search.memoryLimitOf(plan.division.devices()));
    auto finer = planner.plan({plan.solution.cost, plan.solution.cost, kFineTolerance, 0});
    if (!finer || finer->solution.cost >= plan.solution.cost)
      return;
    finer->solution.bound = std::min(plan.solution.bound, finer->solution.cost);
    plan = std::move(*finer);
  }

  /// P4 does not count what is reshared on the way: where the plan needs more than the limit with that, plans again
  /// under a limit that is lowered by as much. Returns what the smallest plan needs where none fits.
  std::optional<int64_t> makeFit(StagedPlan &plan) {
    std::unique_ptr<ProgramGraph> graph = std::move(*search.graphOf(plan.division));
    int64_t limit = search.memoryLimitOf(plan.division.devices()), lower = limit;
    int64_t smallest = Problem::kUnlimited;
    double bound = plan.solution.bound;
    for (int lowered = 0; lowered <= kMostLowerLimits; ++lowered) {
      StagePlanner planner(*graph, plan.division, cluster, options, lower);
      int64_t needed = forecastMemory(*graph, plan.solution.choice, planner.costModel());
      smallest = std::min(smallest, needed);
      if (needed <= limit)
        return std::nullopt;
      lower = lowerLimit(lower, plan.solution.peakBytes, needed, limit);
      if (lower <= 0)
        break;
      auto smaller = StagePlanner(*graph, plan.division, cluster, options, lower).plan({.tolerance = kFineTolerance});
      if (!smaller)
        break;
      plan = std::move(*smaller);
      plan.solution.bound = std::min(bound, plan.solution.cost);
    }
    return smallest;
  }

  PlanResult describe(const StagedPlan &plan) {
    mlir::func::FuncOp main = search.microbatch(plan.division.microbatches);
    std::unique_ptr<ProgramGraph> held = std::move(*search.graphOf(plan.division));
    const ProgramGraph &graph = *held;
    StagePlanner planner(graph, plan.division, cluster, options, search.memoryLimitOf(plan.division.devices()));
    PlanResult result = Describer(graph, main).describe(graph, planner.problem(), plan.solution, planner.costModel());
    result.stages = plan.stages;
    result.microbatches = plan.division.microbatches;
    result.throughputPerSecond = plan.throughputPerSecond;
    result.memoryLimitBytes = search.memoryLimitOf(plan.division.devices());
    result.weightBytes = 0;
    if (plan.division.stages == 1)
      result.memoryBytes = forecastMemory(graph, plan.solution.choice, planner.costModel());
    if (plan.stages.size() > 1) {
      result.memoryPeak = plan.memoryPeak;
      judgeRunnersUp(result);
    }
    for (const PlanStage &stage : plan.stages)
      result.weightBytes = std::max(result.weightBytes, stage.weightBytes);
    return result;
  }

  /// What else could be chosen was found with the memory of all stages together; what counts is that of one. Whether
  /// the fullest would have room for more, since those alike would be decided alike.
  static void judgeRunnersUp(PlanResult &result) {
    for (Decision &decision : result.ops)
      if (decision.runnerUp)
        decision.runnerUp->fits = result.memoryBytes + decision.runnerUp->extraBytes <= result.memoryLimitBytes;
  }

  /// What the named plans cost on the same mesh, whether they fit or not.
  std::vector<Alternative> priceNamedPlans(const Division &division) {
    std::vector<Alternative> found;
    for (const char *name : {"replicated", "data", "tensor"}) {
      std::expected<std::unique_ptr<ProgramGraph>, std::string> graph = search.graphOf(division);
      putOnMesh(**graph, division.mesh); // without what the user asked for
      if (restrictToNamedPlan(**graph, name))
        continue;
      auto named =
          StagePlanner(**graph, division, cluster, options, Problem::kUnlimited).plan({.tolerance = kTolerance});
      if (named)
        found.push_back({name, named->solution.cost, named->solution.peakBytes,
                         named->solution.peakBytes <= search.memoryLimitOf(division.devices())});
    }
    return found;
  }

  /// P15: how fast fewer devices are, by powers of two.
  void addDeviceCounts(PlanResult &result, int64_t devices) {
    for (int64_t count = 1; count < devices; count *= 2)
      result.deviceCounts.push_back({.devices = count});
    onThreads(result.deviceCounts.size(), kThreads, [&](size_t i) {
      DeviceCount &row = result.deviceCounts[result.deviceCounts.size() - 1 - i]; // the longest searches first
      row = rowOf(row.devices, search.search(row.devices, coarseSpace()));
    });
    const DeviceCount *fastest = nullptr;
    for (const DeviceCount &row : result.deviceCounts)
      if (row.cost <= result.cost && (!fastest || row.cost < fastest->cost))
        fastest = &row;
    if (fastest)
      result.advisedDevices = fastest->devices;
    result.deviceCounts.push_back(
        {devices, result.mesh, int64_t(result.stages.size()), result.microbatches, result.cost, result.memoryBytes});
  }

  std::string whyNone(const BestDivision &best, int64_t devices) {
    if (best.smallestPeakBytes == std::numeric_limits<int64_t>::max())
      return best.conflict;
    return tooLargeText(std::isinf(best.bound), search.memoryLimitOf(devices), devices, best.smallestPeakBytes,
                        largestTensors(best)) +
           moreDevices(devices);
  }

  std::string largestTensors(const BestDivision &best) {
    if (best.smallest.empty())
      return "";
    std::unique_ptr<ProgramGraph> held = std::move(*search.graphOf(best.smallestDivision));
    const ProgramGraph &graph = *held;
    StagePlanner planner(graph, best.smallestDivision, cluster, options, Problem::kUnlimited);
    return froe::largestTensors(graph, planner.problem(), best.smallest,
                                search.memoryLimitOf(best.smallestDivision.devices()));
  }

  const Cluster &cluster;
  const PlanOptions &options;
  FactorNames names;
  DeviceSearch search;
};

/// Where the given mesh is too small, the error says what would do.
std::expected<PlanResult, std::string> planOnMesh(mlir::ModuleOp module, const Mesh &mesh, const Cluster &cluster,
                                                  const PlanOptions &options) {
  std::expected<PlanResult, std::string> result = plan(module, mesh, cluster, options);
  if (result || !isTooLarge(result.error()) || !options.planFile.empty())
    return result;
  mlir::func::FuncOp main = *mainOf(module);
  std::expected<ProgramGraph, std::string> graph = buildGraph(main, mesh, cluster.device);
  return std::unexpected(result.error() +
                         DevicePlanner(module, *graph, main, cluster, options).moreDevices(mesh.deviceCount()));
}

} // namespace

std::expected<PlanResult, std::string> planOnDevices(mlir::ModuleOp module, int64_t devices,
                                                     const std::optional<Mesh> &mesh, const Cluster &cluster,
                                                     const PlanOptions &asked) {
  std::expected<PlanOptions, std::string> all = withStagesOfFile(asked);
  if (!all)
    return std::unexpected(all.error());
  const PlanOptions &options = *all;
  if (mesh && options.stages > 0)
    devices = mesh->deviceCount() * options.stages;
  if (cluster.devices > 0 && devices > cluster.devices)
    return std::unexpected(fmt::format("{} stages of {} devices are more than the {} of cluster '{}'", options.stages,
                                       devices / std::max<int64_t>(options.stages, 1), cluster.devices, cluster.name));
  if (options.stages > 0 && devices % options.stages != 0)
    return std::unexpected(fmt::format("{} devices do not divide into {} equal stages", devices, options.stages));
  if (mesh && options.stages == 1 && options.microbatches <= 1)
    return planOnMesh(module, *mesh, cluster, options);
  auto start = std::chrono::steady_clock::now();
  std::expected<mlir::func::FuncOp, std::string> main = mainOf(module);
  if (!main)
    return std::unexpected(main.error());
  std::expected<std::vector<std::string>, std::string> notes = checkPlanFile(options.planFile, *main, cluster);
  if (!notes)
    return std::unexpected(notes.error());
  std::expected<ProgramGraph, std::string> graph = buildGraph(*main, Mesh{{{"x", 1}}}, cluster.device);
  if (!graph)
    return std::unexpected(graph.error());
  if (options.microbatches > 1)
    if (auto part = microbatchOf(module, options.microbatches); !part)
      return std::unexpected(part.error());
  std::expected<PlanResult, std::string> result =
      DevicePlanner(module, *graph, *main, cluster, options).run(devices, mesh);
  if (!result)
    return result;
  result->madeFor = describeMaking(*main, cluster, options);
  result->notes = std::move(*notes);
  result->searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace froe

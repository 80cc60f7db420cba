#include "froe/Analysis/Plan.h"

#include "BuildProblem.h"
#include "Describe.h"
#include "ForecastArena.h"
#include "MadeFor.h"
#include "NoPlanText.h"
#include "Restrictions.h"

#include "dialects/Froe/Froe.h"

#include <chrono>
#include <fmt/format.h>

namespace froe {

namespace {

class Planner {
public:
  Planner(mlir::func::FuncOp main, const ProgramGraph &all, const Cluster &cluster, const PlanOptions &options)
      : all(all), costs(all.forecast, all.mesh, cluster, options.roundsFactors()), builder(costs), describer(all, main),
        options(options),
        memoryLimit(options.memoryBytes > 0 ? options.memoryBytes
                                            : cluster.withDevices(all.mesh.deviceCount()).memoryLimitBytes()) {}

  std::expected<PlanResult, std::string> run() {
    ProgramGraph graph = all;
    if (auto why = restrictByOptions(graph, describer.factorNames(), options))
      return std::unexpected(*why);
    Problem problem = builder.build(graph, memoryLimit);
    std::expected<Solution, std::string> solution = solveToFit(graph, problem);
    if (!solution)
      return std::unexpected(solution.error());
    PlanResult result = describe(graph, problem, *solution);
    if (options.alternatives)
      for (const char *name : {"replicated", "data", "tensor"})
        addAlternative(result, name);
    return result;
  }

private:
  /// P4 does not count what is reshared on the way: where the answer needs more than the limit with that, the limit of
  /// the problem is lowered by as much.
  std::expected<Solution, std::string> solveToFit(const ProgramGraph &graph, Problem problem) {
    double bound = 0;
    int64_t smallest = Problem::kUnlimited;
    std::vector<int> smallestChoice;
    for (int lowered = 0; lowered <= kMostLowerLimits && problem.memoryLimit > 0; ++lowered) {
      std::expected<Solution, NoPlan> solution = solve(problem, options.solve);
      if (!solution && lowered == 0)
        return std::unexpected(noPlanText(solution.error(), graph, problem));
      if (!solution)
        break;
      if (auto why = verify(problem, *solution))
        llvm::report_fatal_error(llvm::Twine("the solver's answer is wrong: ") + *why);
      bound = lowered == 0 ? solution->bound : bound; // of the limit that was asked for
      solution->bound = std::min(bound, solution->cost);
      int64_t needed = forecastMemory(graph, solution->choice, costs);
      if (needed <= memoryLimit)
        return std::move(*solution);
      if (needed < smallest)
        smallest = needed, smallestChoice = solution->choice;
      problem.memoryLimit = lowerLimit(problem.memoryLimit, solution->peakBytes, needed, memoryLimit);
    }
    return std::unexpected(tooLargeText(/*proven=*/false, memoryLimit, graph.mesh.deviceCount(), smallest,
                                        largestTensors(graph, problem, smallestChoice, memoryLimit)));
  }

  void addAlternative(PlanResult &result, const std::string &name) {
    if (name == options.constrain)
      return result.alternatives.push_back({name, result.cost, result.memoryBytes, true});
    ProgramGraph graph = all;
    if (restrictToNamedPlan(graph, name))
      return;
    // What it would cost, whether it fits or not.
    Problem problem = builder.build(graph, Problem::kUnlimited);
    std::expected<Solution, NoPlan> solution = solve(problem, options.solve);
    if (!solution)
      return;
    bool free = options.constrain.empty() && options.planFile.empty() && options.force.empty();
    int64_t needed = forecastMemory(graph, solution->choice, costs);
    if (free && solution->cost < result.cost && needed <= memoryLimit)
      take(result, describe(graph, problem, *solution));
    result.alternatives.push_back({name, solution->cost, needed, needed <= memoryLimit});
  }

  /// A named plan is one of all plans: where the search found none as good, it is the answer.
  static void take(PlanResult &result, PlanResult better) {
    better.bound = std::min(result.bound, better.cost);
    better.alternatives = std::move(result.alternatives);
    result = std::move(better);
  }

  PlanResult describe(const ProgramGraph &graph, const Problem &problem, const Solution &solution) {
    PlanResult result = describer.describe(graph, problem, solution, costs);
    result.memoryLimitBytes = memoryLimit;
    result.memoryBytes = forecastMemory(graph, solution.choice, costs);
    return result;
  }

  const ProgramGraph &all;
  CostModel costs;
  ProblemBuilder builder;
  Describer describer;
  const PlanOptions &options;
  int64_t memoryLimit;
};

} // namespace

std::expected<PlanResult, std::string> plan(mlir::ModuleOp module, const Mesh &mesh, const Cluster &cluster,
                                            const PlanOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (!options.planFile.empty() && !options.constrain.empty())
    return std::unexpected("a plan file leaves nothing to constrain: give one of the two");
  if (cluster.devices > 0 && mesh.deviceCount() > cluster.devices)
    return std::unexpected(fmt::format("mesh {} needs {} devices, cluster '{}' has {}", mesh.str(), mesh.deviceCount(),
                                       cluster.name, cluster.devices));
  std::expected<mlir::func::FuncOp, std::string> main = mainOf(module);
  if (!main)
    return std::unexpected(main.error());
  std::expected<std::vector<std::string>, std::string> notes = checkPlanFile(options.planFile, *main, cluster);
  if (!notes)
    return std::unexpected(notes.error());
  std::expected<ProgramGraph, std::string> graph = buildGraph(*main, mesh, cluster.device);
  if (!graph)
    return std::unexpected(graph.error());
  std::expected<PlanResult, std::string> result = Planner(*main, *graph, cluster, options).run();
  if (!result)
    return result;
  result->madeFor = describeMaking(*main, cluster, options);
  result->notes = std::move(*notes);
  result->searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace froe

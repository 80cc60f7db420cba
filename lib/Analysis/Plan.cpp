#include "froe/Analysis/Plan.h"

#include "BuildProblem.h"
#include "Describe.h"
#include "MadeFor.h"
#include "Restrictions.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <fmt/format.h>
#include <limits>

namespace froe {

namespace {

bool isNamedPlan(llvm::StringRef name) { return name == "replicated" || name == "data" || name == "tensor"; }

std::expected<std::string, std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return std::unexpected(fmt::format("cannot read '{}': {}", path, buffer.getError().message()));
  return (*buffer)->getBuffer().str();
}

std::optional<std::string> restrictByOptions(ProgramGraph &graph, const FactorNames &names,
                                             const PlanOptions &options) {
  if (isNamedPlan(options.constrain))
    return restrictToNamedPlan(graph, options.constrain);
  uint64_t seed = 0;
  llvm::StringRef random = options.constrain;
  if (random.consume_front("random:") && !random.getAsInteger(10, seed)) {
    restrictAtRandom(graph, seed);
    return std::nullopt;
  }
  const std::string &file = options.planFile.empty() ? options.constrain : options.planFile;
  if (file.empty())
    return std::nullopt;
  std::string shown = file.starts_with('{') ? "--constrain" : file; // the content instead of a file
  std::expected<std::string, std::string> text = file.starts_with('{') ? file : readFile(file);
  if (!text)
    return text.error();
  return options.planFile.empty() ? restrictByConstraints(graph, names, *text, shown)
                                  : restrictToPlanFile(graph, names, *text, file);
}

std::string gibibytes(int64_t bytes) { return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30)); }

/// The three values that take most memory in a choice.
std::string largestTensors(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice) {
  std::vector<std::pair<int64_t, std::string>> tensors;
  for (size_t i = 0; i < choice.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses)
      tensors.push_back({use.bytes[choice[i]], graph.nodes[i].name});
  llvm::sort(tensors, std::greater<>());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min<size_t>(3, tensors.size()); ++i)
    texts.push_back(fmt::format("'{}' ({})", tensors[i].second, gibibytes(tensors[i].first)));
  return llvm::join(texts, ", ");
}

std::string explain(const NoPlan &none, const ProgramGraph &graph, const Problem &problem) {
  if (none.reason == NoPlan::Reason::Conflict)
    return "the constraints exclude each other: no choice of strategies keeps all of them";
  return fmt::format("no plan {} {} per device\nnote: the smallest {} needs {}; the largest tensors are {}",
                     none.proven ? "fits" : "was found that fits", gibibytes(problem.memoryLimit),
                     none.proven ? "one" : "found", gibibytes(none.smallestPeakBytes),
                     largestTensors(graph, problem, none.smallest));
}

class Planner {
public:
  Planner(mlir::func::FuncOp main, const ProgramGraph &all, const Cluster &cluster, const PlanOptions &options)
      : all(all), costs(main, all.mesh, cluster), builder(costs), describer(all, main), options(options),
        memoryLimit(options.memoryBytes > 0 ? options.memoryBytes
                                            : cluster.withDevices(all.mesh.deviceCount()).memoryLimitBytes()) {}

  std::expected<PlanResult, std::string> run() {
    ProgramGraph graph = all;
    if (auto why = restrictByOptions(graph, describer.factorNames(), options))
      return std::unexpected(*why);
    if (auto why = restrictToForced(graph, describer.factorNames(), options.force))
      return std::unexpected(*why);
    Problem problem = builder.build(graph, memoryLimit);
    std::expected<Solution, NoPlan> solution = solve(problem, options.solve);
    if (!solution)
      return std::unexpected(explain(solution.error(), graph, problem));
    if (auto why = verify(problem, *solution))
      llvm::report_fatal_error(llvm::Twine("the solver's answer is wrong: ") + *why);
    PlanResult result = describe(graph, problem, *solution);
    if (options.alternatives)
      for (const char *name : {"replicated", "data", "tensor"})
        addAlternative(result, name);
    return result;
  }

private:
  void addAlternative(PlanResult &result, const std::string &name) {
    if (name == options.constrain)
      return result.alternatives.push_back({name, result.cost});
    ProgramGraph graph = all;
    if (restrictToNamedPlan(graph, name))
      return;
    // What it would cost, whether it fits or not.
    Problem problem = builder.build(graph, Problem::kUnlimited);
    std::expected<Solution, NoPlan> solution = solve(problem, options.solve);
    if (!solution)
      return;
    bool free = options.constrain.empty() && options.planFile.empty() && options.force.empty();
    if (free && solution->cost < result.cost && solution->peakBytes <= memoryLimit)
      take(result, describe(graph, problem, *solution));
    result.alternatives.push_back({name, solution->cost});
  }

  /// A named plan is one of all plans: where the search found none as good, it is the answer.
  static void take(PlanResult &result, PlanResult better) {
    better.bound = std::min(result.bound, better.cost);
    better.alternatives = std::move(result.alternatives);
    result = std::move(better);
  }

  PlanResult describe(const ProgramGraph &graph, const Problem &problem, const Solution &solution) const {
    PlanResult result = describer.describe(graph, problem, solution);
    result.memoryLimitBytes = memoryLimit;
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
  std::expected<ProgramGraph, std::string> graph = buildGraph(*main, mesh);
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
